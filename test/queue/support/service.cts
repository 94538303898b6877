import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { lastLines } from '../../../tools/realN8n/command.cts';
import { startProcess, type ProcessOptions } from '../../../tools/realN8n/processGroup.cts';

/** A server that n8n needs in queue mode, with the settings that lead n8n to it. */
export interface Service {
	env: Record<string, string>;
	/** Ends it and removes its folder. */
	stop(): Promise<void>;
}

const READY_WITHIN_MS = 120_000;

/**
 * Makes a folder for a service's data in the system's own place for them: another user than the
 * one of this process may have to come there. It goes, at the latest, when this process ends.
 */
export async function createDataFolder(name: string): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), `${name}-`));
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/**
 * Starts a server, and waits until it is ready.
 * @param folder its data, removed when it stops
 * @throws with the end of its log when it ends or is not ready in time
 */
export async function startService(
	folder: string,
	options: ProcessOptions,
	isReady: () => Promise<boolean>,
): Promise<Omit<Service, 'env'>> {
	const running = startProcess(options);
	const stop = async () => {
		await running.stop();
		await rm(folder, { recursive: true, force: true });
	};
	const deadline = Date.now() + READY_WITHIN_MS;
	while (!(await isReady())) {
		if (running.isRunning() && Date.now() < deadline) await wait(100);
		else {
			const output = await lastLines(options.stdout);
			await stop();
			throw new Error(`${options.command} did not become ready:\n${output}`);
		}
	}
	return { stop };
}
