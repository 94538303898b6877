import { readFile } from 'node:fs/promises';
import { onInterrupt } from '../interrupt.cts';
import { startProcess, type ProcessEnd, type ProcessOptions } from './processGroup.cts';

/**
 * Runs a command to its end. It ends too when this process is interrupted.
 * @throws with the end of its output when its exit code is not 0
 */
export async function runCommand(options: ProcessOptions): Promise<ProcessEnd> {
	const running = startProcess(options);
	const forget = onInterrupt(async () => void (await running.stop()));
	try {
		const end = await running.ended;
		if (end.code !== 0) {
			const how = end.signal ?? `exit code ${end.code}`;
			const output = await lastLines(options.stderr ?? options.stdout);
			throw new Error(`${options.command} ${options.args.join(' ')} failed (${how}):\n${output}`);
		}
		return end;
	} finally {
		forget();
	}
}

/** The end of a text file, for a message; empty where there is none. */
export async function lastLines(path: string, count = 40): Promise<string> {
	const text = await readFile(path, 'utf8').catch(() => '');
	return text.trimEnd().split('\n').slice(-count).join('\n');
}
