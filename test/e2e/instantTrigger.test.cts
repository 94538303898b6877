import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import { createVisitor, trusting } from '../../service/test/support/recipient.cts';
import { getN8nVersion } from '../../tools/realN8n/installN8n.cts';
import type { N8nServer } from '../../tools/realN8n/server.cts';
import { buildWorkflow, INSTANT_TRIGGER_TYPE } from '../../tools/realN8n/workflow.cts';
import { createContainerEvents } from './support/containerEvents.cts';
import { startTestEnvironment, until, type TestEnvironment } from './support/testEnvironment.cts';

const isFull = Boolean((globalThis as { manyKills?: boolean }).manyKills);
/** How often n8n is killed, and how many events happen around each of them. */
const [kills, eventsOfKill] = isFull ? [20, 15] : [1, 60];
/** How long a repetition would take. */
const QUIET_MS = 3000;
const ADA = 'ada@example.com';

describe('the instant trigger in a running n8n', () => {
	let e2e: TestEnvironment;
	let server: N8nServer;

	beforeAll(async () => {
		e2e = await startTestEnvironment();
		server = e2e.server;
	});
	afterAll(async () => await e2e?.stop());

	/** Activates a workflow that the trigger starts. @returns its ID */
	const activate = async (parameters: INodeParameters) => {
		const { credentials } = e2e;
		const trigger = { name: 'Trigger', type: INSTANT_TRIGGER_TYPE, credentials, parameters };
		const next = { name: 'Next', type: 'n8n-nodes-base.noOp' };
		const id = await server.createWorkflow(buildWorkflow([trigger, next]));
		await server.activate(id);
		return id;
	};

	it('starts the workflow when somebody opens a container', async () => {
		const container = { name: 'Offer', rules: { recipients: [ADA] } };
		const containerId = await e2e.service.addContainer(container);
		const workflowId = await activate({ actions: ['opened'] });
		const { origin, mails, ca } = e2e.service;
		const dispatcher = trusting(ca);
		await createVisitor({ url: `${origin}/c/${containerId}`, mails, dispatcher }).signIn(ADA);
		const [{ id }] = await server.waitForExecutions(workflowId, 1);

		const execution = await server.execution(id);
		expect(execution.status).toBe('success');
		expect(execution.json('Next')).toMatchObject([
			{ containerId, action: 'container.open', container_name: 'Offer', user: ADA },
		]);
	});

	it('neither loses nor repeats an event when n8n is killed in the middle of many', async () => {
		const workflowId = await activate({ actions: ['created'] });
		const events = createContainerEvents(workflowId, e2e.service.addContainer);
		for (let kill = 0; kill < kills; kill += 1) {
			const first = events.names.length;
			const adding = events.add(eventsOfKill);
			const [name] = events.names.slice(first);
			await until(name, async () => !(await events.compare(server)).missing.includes(name));
			// Each time at another moment of an execution.
			await sleep((kill * 37) % 100);
			server.kill();
			await Promise.all([server.ended, adding]);
			server = await e2e.n8n.start();
		}
		const isComplete = async () => (await events.compare(server)).missing.length === 0;
		await until('all events', isComplete);
		await sleep(QUIET_MS);

		expect(events.names).toHaveLength(kills * eventsOfKill);
		const { missing, repeated } = await events.compare(server);
		expect(missing).toEqual([]);
		// n8n 1 doesn't know that it has begun what it gets again.
		if (getN8nVersion().name !== '1') expect(repeated).toEqual([]);
	}, 1_800_000);
});
