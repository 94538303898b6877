import { readFile } from 'node:fs/promises';
import { onInterrupt } from './interrupt.cts';
import { startProcess, type ProcessOptions, type RunningProcess } from './process.cts';

/**
 * Runs a command until it ends, or until this process is interrupted.
 * @throws with the last lines of its output when its exit code is not 0
 */
export async function runCommand(options: ProcessOptions): Promise<void> {
	const running = startProcess(options);
	const unregister = onInterrupt(running.stop);
	try {
		const { code, signal } = await running.ended;
		if (code === 0) return;
		const title = [options.command, ...options.args].join(' ');
		throw new Error(
			`${title} failed (${signal ?? `exit code ${code}`}):\n${await lastLines(running)}`,
		);
	} finally {
		unregister();
	}
}

/** The last lines that a process printed, for a message. */
export async function lastLines({ logs }: RunningProcess, count = 40): Promise<string> {
	const texts = await Promise.all(logs.map(async (path) => await readFile(path, 'utf8')));
	return texts.map((text) => text.trimEnd().split('\n').slice(-count).join('\n')).join('\n');
}
