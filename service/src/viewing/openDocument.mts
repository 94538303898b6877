import { Worker } from 'node:worker_threads';
import { BLOCK_BYTES, createMailbox, deliver } from './blocks.mts';
import type { Answer, Task } from './tasks.mts';
import { ViewingError } from './viewingError.mts';
import type { WorkerData } from './worker.mts';

const TASK_MS = 10_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** The decrypted bytes of one file. */
export interface FileSource {
	name: string;
	type: string;
	size: number;
	read(offset: number, length: number): Promise<Uint8Array>;
}

type Result = Extract<Answer, { result: unknown }>['result'];

interface Running {
	source: FileSource;
	resolve(result: Result): void;
	reject(error: unknown): void;
}

export interface OpenDocument {
	/** One task at a time. Bytes are read from the source of this task. */
	perform(task: Task, source: FileSource): Promise<Result>;
	/** Ends it at once, whatever it does. */
	end(reason: Error): Promise<void>;
	/** In bytes, as of the last task. */
	getMemory(): number;
	hasEnded(): boolean;
}

export function openDocument(workerFile: URL, file: Omit<WorkerData, 'mailbox'>): OpenDocument {
	const { size } = file;
	const mailbox = createMailbox();
	const workerData: WorkerData = { ...file, mailbox };
	const worker = new Worker(workerFile, {
		workerData,
		resourceLimits: RESOURCE_LIMITS,
		// Nothing of the service's own is there to be found.
		env: {},
		execArgv: [],
		stdout: true,
		stderr: true,
	});
	let running: Running | undefined;
	let memory = 0;
	let hasEnded = false;

	async function end(reason: Error): Promise<void> {
		hasEnded = true;
		running?.reject(reason);
		await worker.terminate();
	}

	async function sendBlock(block: number): Promise<void> {
		const offset = block * BLOCK_BYTES;
		try {
			const bytes = await running?.source.read(offset, Math.min(BLOCK_BYTES, size - offset));
			if (bytes) deliver(mailbox, bytes);
		} catch (error) {
			await end(error as Error);
		}
	}

	async function take(answer: Answer): Promise<void> {
		if ('block' in answer) return await sendBlock(answer.block);
		if ('problem' in answer) {
			const error = new ViewingError(answer.problem, answer.cause);
			if (answer.problem === 'noPage') return running?.reject(error);
			return await end(error);
		}
		memory = answer.memory;
		running?.resolve(answer.result);
	}

	worker.on('message', (answer: Answer) => void take(answer));
	// Also where its own memory is full.
	worker.on('error', (error) => void end(new ViewingError('tooHeavy', error)));

	async function perform(task: Task, source: FileSource): Promise<Result> {
		const timer = setTimeout(() => void end(new ViewingError('timedOut')), TASK_MS);
		try {
			return await new Promise<Result>((resolve, reject) => {
				running = { source, resolve, reject };
				worker.postMessage(task);
			});
		} finally {
			clearTimeout(timer);
			running = undefined;
		}
	}

	return { perform, end, getMemory: () => memory, hasEnded: () => hasEnded };
}
