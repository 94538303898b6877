import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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

export type RunningProcess = ReturnType<typeof startProcess>;

const GRACE_MS = 8000;

/**
 * Starts a command with its output in files. It ends with `stop()` or with this process, and so does all that it started.
 *
 * Not execa: it ends the command alone, and n8n starts others.
 */
export function startProcess({ command, args, cwd, env, stdout, stderr = stdout }: ProcessOptions) {
	const [output, errors] = [openSync(stdout, 'a'), openSync(stderr, 'a')];
	// In a process group of its own.
	const child = spawn(command, args, {
		cwd,
		env,
		detached: true,
		stdio: ['ignore', output, errors],
	});
	closeSync(output);
	closeSync(errors);
	const signalGroup = (signal: NodeJS.Signals) => {
		try {
			process.kill(-child.pid!, signal);
		} catch {
			// All have ended, or it didn't start.
		}
	};
	const isRunning = () => (child.exitCode ?? child.signalCode) === null;
	/** Asks the command to end, kills it if it doesn't, and waits for that. */
	const stop = async () => {
		if (isRunning()) signalGroup('SIGTERM');
		const timer = setTimeout(signalGroup, GRACE_MS, 'SIGKILL');
		return await ended.finally(() => clearTimeout(timer));
	};
	const kill = () => signalGroup('SIGKILL');
	process.on('exit', kill);
	const unregister = onInterrupt(stop);
	/** Rejects if the command can't start. */
	const ended = once(child, 'exit')
		.then(([code, signal]) => ({ code: code as number | null, signal: signal as string | null }))
		.finally(() => {
			kill();
			process.off('exit', kill);
			unregister();
		});
	ended.catch(() => undefined);
	const pid = child.pid ?? 0;
	return { command, logs: [stdout, stderr], pid, ended, isRunning, stop, kill };
}

/** Runs a command until it ends. @throws with the last lines of its output when its exit code is not 0 */
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
	const read = async (path: string) => (await readFile(path, 'utf8')).trimEnd().split('\n');
	const texts = await Promise.all([...new Set(logs)].map(read));
	return texts.flatMap((lines) => lines.slice(-40)).join('\n');
}

const READY_TIMEOUT_MS = 300_000;

/** Waits until a condition is true. @param timeout in milliseconds @throws with the message after that */
export async function waitFor(
	condition: () => boolean | Promise<boolean>,
	timeout = Number.POSITIVE_INFINITY,
	message?: string,
): Promise<void> {
	// tsx can load an ES module such as p-wait-for only with import().
	const { default: pWaitFor } = await import('p-wait-for');
	await pWaitFor(condition, { interval: 50, timeout: { milliseconds: timeout, message } });
}

/** Waits until a server is ready. @throws with the end of its log, and stops it, when it ends or isn't ready in time */
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

/** Outside what systems choose from for connections: none of them takes the port before the server listens. */
const FIRST_PORT = 10_000;
/** Those of one worker of jest: others rarely find the same port before the server listens. */
const PORTS_OF_WORKER = 2000;
const WORKERS = 11;

/** A port of the loopback interface that nothing listens on. */
export async function getFreePort(): Promise<number> {
	const { default: getPort, portNumbers } = await import('get-port');
	// Other runs on this machine have another parent.
	const worker = process.ppid + Number(process.env.JEST_WORKER_ID ?? 0);
	const first = FIRST_PORT + (worker % WORKERS) * PORTS_OF_WORKER;
	const last = first + PORTS_OF_WORKER - 1;
	return await getPort({ host: '127.0.0.1', port: portNumbers(randomInt(first, last), last) });
}

/** The environment without the settings of this machine (n8n's, Node.js's, a proxy), so that none of them changes a result. */
export function inheritedEnvironment(): Record<string, string> {
	const needed = ['PATH', 'HOME', 'TMPDIR'].map((name) => [name, process.env[name]]);
	return Object.fromEntries(needed.filter(([, value]) => value !== undefined));
}
