import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface ProcessOptions {
	command: string;
	args: string[];
	cwd: string;
	env: NodeJS.ProcessEnv;
	/** File for the standard output. */
	stdout: string;
	/** File for the error output; `stdout` by default. */
	stderr?: string;
}

export interface ProcessEnd {
	code: number | null;
	signal: NodeJS.Signals | null;
	/** Peak resident memory of the command in bytes; undefined except on Linux. */
	peakMemory?: number;
	/** Processor time of the command in seconds; undefined except on Linux. */
	processorSeconds?: number;
}

export interface RunningProcess {
	command: string;
	/** Files with its output. */
	logs: string[];
	/** Resolves when the command and everything that it started have ended; rejects if it can't start. */
	ended: Promise<ProcessEnd>;
	isRunning(): boolean;
	/** Asks the command to end, kills it if it doesn't, and waits for that. */
	stop(): Promise<ProcessEnd>;
}

/**
 * Starts a command with its output in files. It ends with `stop()`, with all that it started, and
 * whenever this process ends, even after kill -9 (see supervisor.js).
 */
export function startProcess(options: ProcessOptions): RunningProcess {
	const { command, args, cwd, env, stdout, stderr = stdout } = options;
	mkdirSync(dirname(stdout), { recursive: true });
	const [output, errors] = [openSync(stdout, 'a'), openSync(stderr, 'a')];
	const supervisor = spawn(process.execPath, [join(__dirname, 'supervisor.js'), command, ...args], {
		cwd,
		env,
		// A process group of its own. On Windows this would be a window of its own.
		detached: process.platform !== 'win32',
		windowsHide: true,
		stdio: ['ignore', output, errors, 'ipc'],
	});
	closeSync(output);
	closeSync(errors);

	let running = true;
	const ended = new Promise<ProcessEnd>((resolve, reject) => {
		let report: ProcessEnd | { failure: string } = { failure: 'its supervisor ended first' };
		supervisor.on('error', ({ message }) => (report = { failure: message }));
		supervisor.on('message', (message) => (report = message as typeof report));
		supervisor.on('close', () => {
			running = false;
			if ('failure' in report) reject(new Error(`Can't run ${command}: ${report.failure}`));
			else resolve(report);
		});
	});
	ended.catch(() => undefined);

	return {
		command,
		logs: [...new Set([stdout, stderr])],
		ended,
		isRunning: () => running,
		async stop() {
			if (supervisor.connected) supervisor.send('stop', () => undefined);
			return await ended;
		},
	};
}
