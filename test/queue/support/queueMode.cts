import { randomUUID } from 'node:crypto';
import { startSandbox } from '../../../sandbox/index.cts';
import { prepareN8n } from '../../../tools/realN8n/n8n.cts';
import { getN8nVersion } from '../../../tools/realN8n/installN8n.cts';
import { CREDENTIAL_TYPE } from '../../../tools/realN8n/workflow.cts';
import { setup } from '../../e2e/support/globalSetup.cts';
import { startPostgres, startRedis } from './backingServices.cts';

export type QueueMode = Awaited<ReturnType<typeof startQueueMode>>;

/**
 * Starts a sandbox, Redis, PostgreSQL, and a main process and a worker of n8n. As on two machines, both
 * processes share only the database, Redis and the encryption key, so the database transfers binary data:
 * in n8n 2 as files of their own, in n8n 1 within the execution.
 */
export async function startQueueMode() {
	const stops: Array<() => Promise<void>> = [];
	const stop = async () => {
		for (let next = stops.pop(); next; next = stops.pop()) await next();
	};
	const track = <T extends { stop(): Promise<void> }>(started: T): T => {
		stops.push(async () => await started.stop());
		return started;
	};
	const fileStore = getN8nVersion().name === '1' ? undefined : ('database' as const);
	try {
		const sandbox = track(await startSandbox());
		const redis = track(await startRedis());
		const postgres = track(await startPostgres());
		const env = {
			...redis.env,
			...postgres.env,
			EXECUTIONS_MODE: 'queue',
			QUEUE_BULL_PREFIX: randomUUID(),
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		};
		const prepare = async () =>
			track(
				await prepareN8n({
					tarball: setup.read().tarball,
					caPath: sandbox.caPath,
					binaryDataMode: fileStore ?? 'default',
					env,
				}),
			);
		const [main, worker] = [await prepare(), await prepare()];
		const server = await main.start();
		await worker.startWorker();
		const name = 'Sandbox';
		const data = { baseUrl: sandbox.url, apiKey: sandbox.apiKey };
		const id = await server.createCredential({ name, type: CREDENTIAL_TYPE, data });
		return {
			sandbox,
			/** Where n8n keeps the content of files; undefined for the execution itself, as in n8n 1 by default. */
			fileStore,
			/** The main process, which receives the webhook calls. */
			server,
			credentials: { [CREDENTIAL_TYPE]: { id, name } },
			logs: async () => ({ main: await main.log(), worker: await worker.log() }),
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}
