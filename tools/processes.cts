import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onInterrupt } from './tool.cts';

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

export type RunningProcess = ReturnType<typeof startProcess>;

/**
 * Starts a command with its output in files. It ends with `stop()`, with all that it started, and
 * whenever this process ends, even after kill -9 (see supervisor.js).
 */
export function startProcess({ command, args, cwd, env, stdout, stderr = stdout }: ProcessOptions) {
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

	/** Resolves when the command and everything that it started have ended; rejects if it can't start. */
	const ended = new Promise<ProcessEnd>((resolve, reject) => {
		let report: ProcessEnd | { failure: string } = { failure: 'its supervisor ended first' };
		supervisor.on('error', ({ message }) => (report = { failure: message }));
		supervisor.on('message', (message) => (report = message as typeof report));
		supervisor.on('close', () => {
			if ('failure' in report) reject(new Error(`Can't run ${command}: ${report.failure}`));
			else resolve(report);
		});
	});
	/** Asks the command to end, kills it if it doesn't, and waits for that. */
	const stop = async () => {
		if (supervisor.connected) supervisor.send('stop', () => undefined);
		return await ended;
	};
	const unregister = onInterrupt(stop);
	ended.then(unregister, unregister);
	const logs = [...new Set([stdout, stderr])];
	const isRunning = () => (supervisor.exitCode ?? supervisor.signalCode) === null;
	return { command, logs, ended, isRunning, stop };
}

/**
 * Runs a command until it ends.
 * @throws with the last lines of its output when its exit code is not 0
 */
export async function runCommand(options: ProcessOptions): Promise<void> {
	const running = startProcess(options);
	const { code, signal } = await running.ended;
	if (code === 0) return;
	const title = [options.command, ...options.args].join(' ');
	const end = signal ?? `exit code ${code}`;
	throw new Error(`${title} failed (${end}):\n${await lastLines(running)}`);
}

/** The last lines that a process printed, for a message. */
export async function lastLines({ logs }: RunningProcess): Promise<string> {
	const texts = await Promise.all(logs.map(async (path) => await readFile(path, 'utf8')));
	return texts.map((text) => text.trimEnd().split('\n').slice(-40).join('\n')).join('\n');
}

const READY_TIMEOUT_MS = 300_000;

/**
 * Waits until a condition is true.
 * @param timeout in milliseconds
 * @throws with the message when that takes too long
 */
export async function waitFor(
	condition: () => boolean | Promise<boolean>,
	timeout = Number.POSITIVE_INFINITY,
	message?: string,
): Promise<void> {
	// tsx can load an ES module such as p-wait-for only with import().
	const { default: pWaitFor } = await import('p-wait-for');
	await pWaitFor(condition, { interval: 200, timeout: { milliseconds: timeout, message } });
}

/**
 * Waits until a server that was started is ready.
 * @throws with the last lines of its log when it ends or isn't ready in time; then it is stopped
 */
export async function waitUntilReady(
	server: RunningProcess,
	isReady: () => Promise<boolean>,
): Promise<void> {
	const isReadyOrEnded = async () => {
		if (!server.isRunning()) throw new Error('It ended during its start.');
		return await isReady();
	};
	try {
		await waitFor(isReadyOrEnded, READY_TIMEOUT_MS, "It didn't become ready in time.");
	} catch (error) {
		await server.stop().catch(() => undefined);
		throw new Error(`${server.command}: ${(error as Error).message}\n${await lastLines(server)}`);
	}
}

/** A port of the loopback interface that nothing listens on. */
export async function getFreePort(): Promise<number> {
	const { default: getPort } = await import('get-port');
	return await getPort({ host: '127.0.0.1' });
}

/** What a program needs of the environment. Windows ignores the case of names; Node.js keeps it. */
const NEEDED = /^(path|home|userprofile|systemroot|windir|comspec|pathext|tmpdir|temp|tmp)$/i;

/** The environment without the settings of this machine (n8n's, Node.js's, a proxy), so that none of them changes a result. */
export function inheritedEnvironment(): Record<string, string> {
	const entries = Object.entries(process.env).filter(([name]) => NEEDED.test(name));
	return Object.fromEntries(entries) as Record<string, string>;
}
