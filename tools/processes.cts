import type { ChildProcess } from 'node:child_process';
import {
	closeSync,
	existsSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import spawn from 'cross-spawn';
import which from 'which';
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
}

export type RunningProcess = ReturnType<typeof startProcess>;

const GRACE_MS = 8000;
const isWindows = process.platform === 'win32';
const children = new Set<ChildProcess>();

process.once('exit', () => {
	for (const child of children) signalGroup(child, 'SIGKILL');
});

/** Sends a signal to a command and all that it started. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
	if (isWindows || child.pid === undefined) return void child.kill(signal);
	try {
		process.kill(-child.pid, signal);
	} catch {
		// All have ended.
	}
}

/** Starts a command with its output in files. It ends with `stop()` or with this process, and so does all that it started. */
export function startProcess({ command, args, cwd, env, stdout, stderr = stdout }: ProcessOptions) {
	mkdirSync(dirname(stdout), { recursive: true });
	const [output, errors] = [openSync(stdout, 'a'), openSync(stderr, 'a')];
	const child = spawn(command, args, {
		cwd,
		env,
		// A process group of its own. On Windows this would be a window of its own.
		detached: !isWindows,
		windowsHide: true,
		stdio: ['ignore', output, errors],
	});
	closeSync(output);
	closeSync(errors);
	children.add(child);

	/** Rejects if the command can't start. */
	const ended = new Promise<ProcessEnd>((resolve, reject) => {
		child.once('error', ({ message }) => reject(new Error(`Can't run ${command}: ${message}`)));
		child.once('exit', (code, signal) => {
			signalGroup(child, 'SIGKILL');
			resolve({ code, signal });
		});
	});
	const isRunning = () => (child.exitCode ?? child.signalCode) === null;
	/** Asks the command to end, kills it if it doesn't, and waits for that. */
	const stop = async () => {
		if (isRunning()) signalGroup(child, 'SIGTERM');
		const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS);
		return await ended.finally(() => clearTimeout(timer));
	};
	const unregister = onInterrupt(stop);
	const forget = () => {
		unregister();
		children.delete(child);
	};
	ended.then(forget, forget);
	const logs = [...new Set([stdout, stderr])];
	return { command, logs, pid: child.pid ?? 0, ended, isRunning, stop };
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

/** The processor time of a process until now in seconds, and its memory in bytes; NaN except on Linux, and after its end. */
export function readProcess(pid: number) {
	const read = (name: string) => {
		try {
			return readFileSync(`/proc/${pid}/${name}`, 'utf8');
		} catch {
			return '';
		}
	};
	// After the name in parentheses; in hundredths of a second, its own and the system's.
	const times = read('stat').split(') ').at(-1)!.split(' ');
	const status = read('status');
	return {
		processorSeconds: (Number(times[11]) + Number(times[12])) / 100,
		memory: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024,
		peak: Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024,
	};
}

/** The peak of a process is counted anew from here on. */
export function forgetPeak(pid: number): void {
	if (existsSync(`/proc/${pid}`)) writeFileSync(`/proc/${pid}/clear_refs`, '5');
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

/** Debian keeps the programs of the PostgreSQL server outside PATH, in one folder per version. */
const POSTGRESQL = '/usr/lib/postgresql';

/**
 * Finds a program of the system by one of its names.
 * @throws with what to install when there is none
 */
export function findProgram(names: string[], packages: string[]): string {
	const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL) : [];
	const newestFirst = versions.sort((one, other) => Number(other) - Number(one));
	const folders = newestFirst.map((version) => join(POSTGRESQL, version, 'bin'));
	const path = [process.env.PATH, ...folders].join(delimiter);
	const found = names.map((name) => which.sync(name, { nothrow: true, path })).find(Boolean);
	if (found) return found;
	const command = `apt-get install --no-install-recommends ${packages.join(' ')}`;
	throw new Error(`This machine has no ${names[0]}. On Debian or Ubuntu: ${command}`);
}
