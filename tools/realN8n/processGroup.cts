import { spawn } from 'node:child_process';
import { mkdirSync, openSync, closeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { watchMemory, type PeakMemory } from './memory.cts';

export interface ProcessOptions {
	command: string;
	args: string[];
	cwd: string;
	env: NodeJS.ProcessEnv;
	/** File that takes the standard output. */
	stdout: string;
	/** File that takes the error output; the same file as `stdout` where it is left out. */
	stderr?: string;
	/** Reads the memory of the whole group while it runs (Linux only). */
	measureMemory?: boolean;
}

export interface ProcessEnd {
	code: number | null;
	signal: NodeJS.Signals | null;
	seconds: number;
}

export interface RunningProcess {
	/** Resolves when the command has ended and nothing of its group is left; rejects when it could not be started. */
	ended: Promise<ProcessEnd>;
	/** True until then. */
	isRunning(): boolean;
	/** Asks the group to end, makes it end after some seconds, and waits for that. */
	stop(): Promise<ProcessEnd>;
	/** The peak until now; undefined where it was not asked for or cannot be read. */
	peakMemory(): PeakMemory | undefined;
}

type Report = { pid: number } | { failure: string } | Omit<ProcessEnd, 'seconds'>;

/**
 * Starts a command in a process group of its own, its output going to files. The group ends with
 * `stop()`, and also when this process goes away in any manner, kill -9 included (supervisor.js).
 */
export function startProcess(options: ProcessOptions): RunningProcess {
	const startedAt = Date.now();
	mkdirSync(dirname(options.stdout), { recursive: true });
	const out = openSync(options.stdout, 'a');
	const err = options.stderr === undefined ? out : openSync(options.stderr, 'a');
	const supervisor = spawn(
		process.execPath,
		[join(__dirname, 'supervisor.js'), options.command, ...options.args],
		{
			cwd: options.cwd,
			env: options.env,
			detached: true,
			stdio: ['ignore', out, err, 'ipc'],
		},
	);
	closeSync(out);
	if (err !== out) closeSync(err);

	let running = true;
	let memory: ReturnType<typeof watchMemory> | undefined;
	const ended = new Promise<ProcessEnd>((resolve, reject) => {
		let end: ProcessEnd | undefined;
		let failure = 'its supervisor ended before it did';
		supervisor.on('error', (error) => (failure = error.message));
		supervisor.on('message', (report: Report) => {
			if ('pid' in report) {
				if (options.measureMemory) memory = watchMemory(report.pid);
			} else if ('failure' in report) failure = report.failure;
			else end = { ...report, seconds: (Date.now() - startedAt) / 1000 };
		});
		supervisor.on('close', () => {
			running = false;
			memory?.stop();
			if (end) resolve(end);
			else reject(new Error(`${options.command} could not be run: ${failure}`));
		});
	});
	ended.catch(() => undefined);

	return {
		ended,
		isRunning: () => running,
		peakMemory: () => memory?.peak(),
		async stop() {
			if (running && supervisor.connected) supervisor.send('stop', () => undefined);
			return await ended;
		},
	};
}
