import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcess, type ProcessOptions, waitUntilReady } from '../../../tools/processes.cts';

/** A server that n8n needs in queue mode. */
export interface BackingService {
	/** Environment variables that connect n8n to it. */
	env: Record<string, string>;
	/** Stops it and removes its folder. */
	stop(): Promise<void>;
}

/**
 * Creates a folder for a service's data in the system's temporary folder, because the service can run
 * as another user than this process.
 */
export async function createDataFolder(name: string): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), `${name}-`));
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/**
 * Starts a server and waits until it is ready. `stop` removes its folder, which is `cwd`.
 * @throws with the end of its log when it ends or isn't ready in time
 */
export async function startBackingService(
	options: ProcessOptions,
	isReady: () => Promise<boolean>,
	env: Record<string, string>,
): Promise<BackingService> {
	const running = startProcess(options);
	await waitUntilReady(running, isReady);
	const stop = async () => {
		await running.stop();
		await rm(options.cwd, { recursive: true, force: true });
	};
	return { env, stop };
}
