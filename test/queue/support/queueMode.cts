import { randomUUID } from 'node:crypto';
import { startSandbox, type Sandbox } from '../../../sandbox/index.cts';
import { prepareN8n, type N8n } from '../../../tools/realN8n/n8n.cts';
import type { N8nServer } from '../../../tools/realN8n/server.cts';
import { CREDENTIAL_TYPE } from '../../../tools/realN8n/workflow.cts';
import { prepared } from '../../e2e/support/prepared.cts';
import { startPostgres } from './postgres.cts';
import { startRedis } from './redis.cts';

export interface QueueMode {
	sandbox: Sandbox;
	/** The main process, which takes the calls. */
	server: N8nServer;
	/** The credential for the sandbox, as a node names it. */
	credentials: Record<string, { id: string; name: string }>;
	/** What the main process and the worker have printed until now. */
	logs(): Promise<{ main: string; worker: string }>;
	/** Ends all of it, the last started first. */
	stop(): Promise<void>;
}

/**
 * Starts a sandbox, Redis, PostgreSQL, and of n8n a main process and a worker. These two have
 * nothing in common but the database, Redis and the encryption key: as on two machines, the files
 * of items get from one to the other through the database alone.
 */
export async function startQueueMode(): Promise<QueueMode> {
	const ends: Array<() => Promise<void>> = [];
	const stop = async () => {
		for (let end = ends.pop(); end; end = ends.pop()) await end();
	};
	const keep = <T extends { stop(): Promise<void> }>(started: T): T => {
		ends.push(async () => await started.stop());
		return started;
	};
	try {
		const sandbox = keep(await startSandbox());
		const redis = keep(await startRedis());
		const postgres = keep(await startPostgres());
		const env = {
			...redis.env,
			...postgres.env,
			EXECUTIONS_MODE: 'queue',
			QUEUE_BULL_PREFIX: randomUUID(),
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		};
		const prepare = async (): Promise<N8n> =>
			keep(
				await prepareN8n({
					tarball: prepared.read().tarball,
					caPath: sandbox.caPath,
					binaryDataMode: 'database',
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
