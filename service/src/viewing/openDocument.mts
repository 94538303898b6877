import { Worker } from 'node:worker_threads';
import { BLOCK_BYTES, createMailbox, deliver } from './blocks.mts';
import type { Engines } from './engines.mts';
import type { Answer, Task } from './tasks.mts';
import { ViewingError } from './viewingError.mts';
import type { WorkerData } from './worker.mts';

const TASK_MS = 10_000;
/** A small young generation: the heap of each thread stays a third smaller. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4 };

/** The decrypted bytes of one file. */
export interface FileSource {
	name: string;
	type: string;
	size: number;
	read(offset: number, length: number): Promise<Uint8Array>;
}

type Result = Extract<Answer, { result: unknown }>['result'];

interface RunningTask {
	source: FileSource;
	resolve(result: Result): void;
	reject(error: unknown): void;
}

/** A document in its thread. */
export class OpenDocument {
	private readonly mailbox = createMailbox();
	private readonly worker: Worker;
	private readonly size: number;
	private running: RunningTask | undefined;
	/** In bytes, as of the last task. */
	memory = 0;
	hasEnded = false;

	constructor(workerFile: URL, file: Omit<WorkerData, 'mailbox'>) {
		this.size = file.size;
		const workerData: WorkerData = { ...file, mailbox: this.mailbox };
		this.worker = new Worker(workerFile, {
			workerData,
			resourceLimits: RESOURCE_LIMITS,
			// Nothing of the service's own is there to be found.
			env: {},
			execArgv: [],
			stdout: true,
			stderr: true,
		});
		// What its engines print is about the file, and may be endless.
		this.worker.stdout.resume();
		this.worker.stderr.resume();
		this.worker.on('message', (answer: Answer) => void this.take(answer));
		// Also where its own memory is full.
		this.worker.on('error', (error) => void this.end(new ViewingError('tooHeavy', error)));
	}

	/** Before the first task. */
	start(engines: Engines): void {
		this.worker.postMessage(engines);
	}

	/** One task at a time. Bytes are read from the source of this task. */
	async perform(task: Task, source: FileSource): Promise<Result> {
		const timer = setTimeout(() => void this.end(new ViewingError('timedOut')), TASK_MS);
		try {
			return await new Promise<Result>((resolve, reject) => {
				this.running = { source, resolve, reject };
				this.worker.postMessage(task);
			});
		} finally {
			clearTimeout(timer);
			this.running = undefined;
		}
	}

	/** At once, whatever it does. */
	async end(reason: Error): Promise<void> {
		this.hasEnded = true;
		this.running?.reject(reason);
		await this.worker.terminate();
	}

	private async take(answer: Answer): Promise<void> {
		if ('block' in answer) return await this.sendBlock(answer.block);
		if ('problem' in answer) {
			const error = new ViewingError(answer.problem, answer.cause);
			if (answer.problem === 'noPage') return this.running?.reject(error);
			return await this.end(error);
		}
		this.memory = answer.memory;
		this.running?.resolve(answer.result);
	}

	private async sendBlock(block: number): Promise<void> {
		const offset = block * BLOCK_BYTES;
		const length = Math.min(BLOCK_BYTES, this.size - offset);
		try {
			const bytes = await this.running?.source.read(offset, length);
			if (bytes) deliver(this.mailbox, bytes);
		} catch (error) {
			await this.end(error as Error);
		}
	}
}
