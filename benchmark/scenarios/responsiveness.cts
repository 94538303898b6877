import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import type { N8nServer } from '../../tools/realN8n/server.cts';
import type { WorkflowJson } from '../../tools/realN8n/workflow.cts';
import { waitFor } from '../../tools/waitFor.cts';
import { formatSeconds, type ScenarioResult } from '../report.cts';
import { writeContacts } from '../testFiles.cts';
import { buildCsvWorkflow, createOwnNode } from '../workflows.cts';
import type { ScenarioContext } from './scenario.cts';

/** The sizes that the README and the hint recommend. */
const BATCH = { batchSize: 10, batchInterval: 10 };
const MAX_SECONDS = 1;
const PROBE_MS = 20;

/** Measures how long n8n's server doesn't respond while the node runs, with and without Batching. */
export async function responsiveness({
	environment,
	settings,
	progress,
}: ScenarioContext): Promise<ScenarioResult> {
	const { n8n, sandbox } = environment;
	const count = Math.max(...settings.items);
	const csv = join(n8n.files, 'responsiveness.csv');
	await writeContacts(csv, count);
	await sandbox.settings({ record: 'counts' });
	const createNode = (requestOptions: INodeParameters) =>
		createOwnNode({
			resource: 'contact',
			operation: 'upsert',
			email: '={{ $json.email }}',
			fieldsUi: { fields: [{ name: 'company', value: '={{ $json.company }}' }] },
			options: { userId: sandbox.user.id },
			requestOptions,
		});
	const workflows = {
		// One request, so that the end of the CSV file's nodes shows.
		baseline: buildCsvWorkflow(csv, {
			...createOwnNode({ resource: 'user', operation: 'getMe' }),
			executeOnce: true,
		}),
		without: buildCsvWorkflow(csv, createNode({})),
		batching: buildCsvWorkflow(csv, createNode({ batching: { batch: BATCH } })),
	};
	await n8n.importWorkflows(Object.values(workflows));
	const server = await n8n.start();
	const run = async (name: keyof typeof workflows) =>
		await progress.step(`${count} contacts: ${name}`, async () => {
			await sandbox.clearRequests();
			const requests = name === 'baseline' ? 1 : count;
			const isDone = async () => (await sandbox.counts()).total >= requests;
			return await measureSilence(server, workflows[name], isDone);
		});
	const baseline = await run('baseline');
	const without = await run('without');
	const batching = await run('batching');
	await server.stop();
	await sandbox.settings({ record: 'full' });
	const { batchSize, batchInterval } = BATCH;
	return {
		title: `n8n's responses while ${count.toLocaleString('en')} contacts are updated`,
		note: 'The longest time that /healthz takes to respond, from the start of the workflow, which reads a CSV file, to the last request.',
		header: ['', 'Longest response', 'Time'],
		rows: [
			['The CSV file alone', formatSeconds(baseline.silence), formatSeconds(baseline.seconds)],
			['Without Batching', formatSeconds(without.silence), formatSeconds(without.seconds)],
			[
				`Batching: ${batchSize} items, ${batchInterval} ms`,
				formatSeconds(batching.silence),
				formatSeconds(batching.seconds),
			],
		],
		expectations: [
			{
				title: `Longest response of /healthz with Batching, ${count.toLocaleString('en')} items, in seconds`,
				value: batching.silence,
				max: MAX_SECONDS,
			},
		],
	};
}

/** @returns in seconds: the longest time without a response, and the time that it takes */
async function measureSilence(
	server: N8nServer,
	workflow: WorkflowJson,
	isDone: () => Promise<boolean>,
): Promise<{ silence: number; seconds: number }> {
	let silence = 0;
	let isRunning = true;
	const start = performance.now();
	const body = { workflowData: workflow, triggerToStartFrom: { name: workflow.nodes[0].name } };
	await server.rest('POST', `/rest/workflows/${workflow.id}/run`, body);
	const probing = (async () => {
		while (isRunning) {
			const sent = performance.now();
			// n8n can close an idle connection at the moment when it is used again.
			await waitFor(async () => await server.call('/healthz').then(Boolean, () => false));
			silence = Math.max(silence, (performance.now() - sent) / 1000);
			await delay(PROBE_MS);
		}
	})();
	await waitFor(isDone);
	isRunning = false;
	await probing;
	return { silence, seconds: (performance.now() - start) / 1000 };
}
