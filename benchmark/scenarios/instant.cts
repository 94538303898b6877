import { setTimeout as delay } from 'node:timers/promises';
import type { N8nServer } from '../../tools/realN8n/server.cts';
import {
	buildWorkflow,
	INSTANT_TRIGGER_TYPE,
	type NodeOptions,
} from '../../tools/realN8n/workflow.cts';
import { step } from '../../tools/tool.cts';
import { getMedian } from '../measure.cts';
import type { ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import { OWN_CREDENTIAL } from '../workflows.cts';
import { createLoadClient } from './loadClient.cts';

const RUNS = 30;
/** So that each starts an execution of its own, and finds n8n at rest. */
const PAUSE_MS = 500;
const MAX_MEDIAN_MS = 150;

const TRIGGER: NodeOptions = {
	name: 'Opened',
	type: INSTANT_TRIGGER_TYPE,
	credentials: OWN_CREDENTIAL,
	parameters: { actions: ['opened'] },
};

const WEBHOOK: NodeOptions = {
	name: 'Webhook',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2,
	webhookId: 'opened',
	parameters: { httpMethod: 'POST', path: 'opened', options: {} },
};

/** Measures how soon a workflow is over that an opening starts. */
export async function instant({ environment }: ScenarioContext): Promise<ScenarioResult> {
	const { n8n, service, client, prepare } = environment;
	await prepare();
	const server = await n8n.start();
	const visitors = createLoadClient(service);
	const rules = { recipients: ['*@*'] };
	const container = await client.addContainer({ name: 'Offer', rules });
	const opened = await step(`${RUNS} openings`, async () => {
		const open = async (index: number) =>
			void (await visitors.open(container, `person-${index}@example.com`, `203.0.113.${index}`));
		const ended = await runWorkflows(server, TRIGGER, open);
		const events = await client.getEvents('container.open');
		return ended.map((end, index) => end - Date.parse(String(events[index].created_date)));
	});
	const called = await step(`${RUNS} calls of a webhook`, async () => {
		const sent: number[] = [];
		const call = async () => {
			sent.push(Date.now());
			await server.call('/webhook/opened', { method: 'POST' });
		};
		const ended = await runWorkflows(server, WEBHOOK, call);
		return ended.map((end, index) => end - sent[index]);
	});
	await server.stop();
	const measured = { 'Instant trigger: opening': opened, 'Webhook node: call by hand': called };
	return {
		title: 'From an opening to the end of the workflow that it starts',
		note: `${RUNS} times one after the other, for a workflow of two nodes, of which the second does nothing, in n8n's server. The call of a webhook is what n8n itself takes.`,
		header: ['', 'Median', 'Fastest', 'Slowest'],
		rows: Object.entries(measured).map(([title, ms]) => [
			title,
			...[getMedian(ms), Math.min(...ms), Math.max(...ms)].map((value) => `${value} ms`),
		]),
		expectations: [
			[
				'Median from the opening to the end of the workflow, in ms',
				getMedian(opened),
				MAX_MEDIAN_MS,
			],
		],
	};
}

/** Starts a workflow again and again. @returns when each execution ended, in milliseconds */
async function runWorkflows(
	server: N8nServer,
	trigger: NodeOptions,
	start: (index: number) => Promise<void>,
): Promise<number[]> {
	const next = { name: 'Next', type: 'n8n-nodes-base.noOp' };
	// Without this, n8n would keep no time.
	const settings = { executionOrder: 'v1', saveDataSuccessExecution: 'all' };
	const id = await server.createWorkflow(buildWorkflow([trigger, next], { settings }));
	await server.activate(id);
	for (let index = 0; index < RUNS; index += 1) {
		await start(index);
		await server.waitForExecutions(id, index + 1);
		await delay(PAUSE_MS);
	}
	const executions = await server.waitForExecutions(id, RUNS);
	await server.deactivate(id);
	return executions.map(({ stoppedAt }) => Date.parse(stoppedAt)).sort((a, b) => a - b);
}
