import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { exampleFile } from '../../tools/examples.cts';
import { getN8nVersion } from '../../tools/realN8n/installN8n.cts';
import { getFreePort, waitUntilReady } from '../../tools/processes.cts';
import { prepareN8n, type N8n } from '../../tools/realN8n/n8n.cts';
import {
	buildWorkflow,
	CREDENTIAL_TYPE,
	INSTANT_TRIGGER_TYPE,
	NODE_TYPE,
} from '../../tools/realN8n/workflow.cts';
import { createContainerEvents } from '../e2e/support/containerEvents.cts';
import { setup } from '../e2e/support/globalSetup.cts';
import { until } from '../e2e/support/testEnvironment.cts';
import { startTestService } from '../support/service.cts';
import { startPostgres, startRedis } from './support/backingServices.cts';

type QueueMode = Awaited<ReturnType<typeof startQueueMode>>;

/** How many happen while the main process is killed. */
const EVENTS = 60;
/** How long a repetition would take. */
const QUIET_MS = 3000;

/** Where n8n 2 keeps the content of files. n8n 1 keeps it within the execution. */
const fileStore = getN8nVersion().name === '1' ? undefined : 'database';

/**
 * Starts a service, Redis, PostgreSQL, and a main process and a worker of n8n. As on two machines, both
 * processes share only the database, Redis and the encryption key, so the database transfers binary data.
 */
async function startQueueMode(started: Array<{ stop(): Promise<void> }>) {
	const track = <T extends { stop(): Promise<void> }>(one: T): T => {
		started.unshift(one);
		return one;
	};
	const service = track(await startTestService());
	const redis = track(await startRedis());
	const postgres = track(await startPostgres());
	const env = {
		...redis.env,
		...postgres.env,
		EXECUTIONS_MODE: 'queue',
		QUEUE_BULL_PREFIX: randomUUID(),
		N8N_DEFAULT_BINARY_DATA_MODE: fileStore ?? 'default',
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	};
	const { tarball } = setup.read();
	const options = { tarball, caPath: service.paths.ca, env };
	const [main, worker] = [track(await prepareN8n(options)), track(await prepareN8n(options))];
	const server = await main.start();
	await startWorker(worker);
	const name = 'Service';
	const data = { ...service.credentials };
	const id = await server.createCredential({ name, type: CREDENTIAL_TYPE, data });
	const credentials = { [CREDENTIAL_TYPE]: { id, name } };
	const parameters = { httpMethod: 'POST', path: 'files', responseMode: 'lastNode', options: {} };
	const recipients = 'ada@example.com';
	const workflowId = await server.createWorkflow(
		buildWorkflow([
			{
				name: 'Receive',
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				webhookId: 'files',
				parameters,
			},
			{
				name: 'Encrypt',
				type: NODE_TYPE,
				credentials,
				parameters: { resource: 'container', operation: 'encode', name: 'A', recipients },
			},
		]),
	);
	await server.activate(workflowId);
	const logs = async () => ({ main: await main.log(), worker: await worker.log() });
	return { service, main, server, credentials, workflowId, logs };
}

/** Starts a worker, and waits until it is connected to its database and Redis. */
async function startWorker({ launch }: N8n): Promise<void> {
	const port = await getFreePort();
	const worker = await launch(['worker'], {
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
	});
	const isReady = async () => (await fetch(`http://127.0.0.1:${port}/healthz/readiness`)).ok;
	await waitUntilReady(worker, async () => await isReady().catch(() => false));
}

describe('a workflow in queue mode: a main process and a worker', () => {
	const started: Array<{ stop(): Promise<void> }> = [];
	let queue: QueueMode;
	beforeAll(async () => {
		queue = await startQueueMode(started);
	}, 900_000);
	beforeEach(async () => await queue.service.clear());
	afterAll(async () => {
		for (const one of started) await one.stop();
	}, 120_000);

	/** Sends a file to the webhook, and waits for the execution in the worker. */
	const send = async (name: string, content: Buffer) => {
		const { server, workflowId } = queue;
		const body = new FormData();
		body.append('data', new File([content], name, { type: 'application/pdf' }));
		const before = await server.executions(workflowId);
		const response = await server.call('/webhook/files', { method: 'POST', body });
		const responseBody: unknown = await response.json();
		const [{ id }] = await server.waitForExecutions(workflowId, before.length + 1);
		const { main, worker } = await queue.logs();
		expect(main).toContain(`Enqueued execution ${id} `);
		expect(main).not.toContain(`Worker started execution ${id} `);
		expect(worker).toContain(`Worker finished execution ${id} `);
		expect(main + worker).not.toContain(queue.service.apiKey);
		return { responseBody, execution: await server.execution(id) };
	};

	it('sends a file from the main process, byte for byte, from the worker', async () => {
		const content = await readFile(exampleFile);

		const { responseBody, execution } = await send('invoice.pdf', content);

		expect(execution.error).toBeUndefined();
		const [{ data }] = execution.binaries('Receive');
		expect(data.id?.split(':')[0]).toBe(fileStore);
		const sha256 = createHash('sha256').update(content).digest('hex');
		const [{ uuid, files }] = await queue.service.getContainers();
		expect(files).toMatchObject([{ name: 'invoice.pdf', size: content.length, sha256 }]);
		expect(responseBody).toMatchObject({ container: { uuid } });
	});

	it('starts workflows at once, and neither loses nor repeats an event when the main process is killed', async () => {
		const { main, service, credentials } = queue;
		const parameters = { actions: ['created'] };
		const trigger = { name: 'Trigger', type: INSTANT_TRIGGER_TYPE, credentials, parameters };
		const next = { name: 'Next', type: 'n8n-nodes-base.noOp' };
		const id = await queue.server.createWorkflow(buildWorkflow([trigger, next]));
		await queue.server.activate(id);
		const events = createContainerEvents(id, service.addContainer);
		const adding = events.add(EVENTS);
		const [first] = events.names;
		const hasFirst = async () => !(await events.compare(queue.server)).missing.includes(first);
		await until('the first event', hasFirst);
		queue.server.kill();
		await Promise.all([queue.server.ended, adding]);
		queue.server = await main.start();
		const isComplete = async () => (await events.compare(queue.server)).missing.length === 0;
		await until('all events', isComplete);
		await sleep(QUIET_MS);

		expect(events.names).toHaveLength(EVENTS);
		const { missing, repeated } = await events.compare(queue.server);
		expect(missing).toEqual([]);
		// n8n 1 doesn't know that it has begun what it gets again.
		if (getN8nVersion().name !== '1') expect(repeated).toEqual([]);
	});
});
