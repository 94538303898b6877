import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../tools/processes.cts';
import type { N8nServer } from '../../tools/realN8n/server.cts';
import {
	buildWorkflow,
	START,
	type NodeOptions,
	type WorkflowJson,
} from '../../tools/realN8n/workflow.cts';
import { step } from '../../tools/tool.cts';
import { formatNumber, formatSeconds, formatSize, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import { writeContacts } from '../data.cts';
import * as build from '../workflows.cts';

/** How much longer /healthz may take than with the HTTP Request node, and how long n8n may answer nobody, in seconds. */
const MAX_MORE = 0.25;
const MAX_BLOCK = 0.2;
const PROBE_MS = 20;
const PERCENTILE = 0.99;
/** Entries of a page. */
const PAGE = 100;

interface Work {
	title: string;
	/** Responses with a status of success after which it is done. */
	responses: number;
	/** How many containers the service has. */
	containers?: number;
	workflows: Record<'baseline' | 'own' | 'http', WorkflowJson>;
}

/** Measures how long n8n's server doesn't respond to others while the node runs, beside the HTTP Request node. */
export async function responsiveness(context: ScenarioContext): Promise<ScenarioResult> {
	const { n8n, service, prepare, importWorkflows } = context.environment;
	const all = await createWork(context);
	await importWorkflows(all.flatMap(({ workflows }) => Object.values(workflows)));
	const rows: string[][] = [];
	const expectations: ScenarioResult['expectations'] = [];
	for (const { title, workflows, responses, containers = 0 } of all) {
		// Its own, so that V8 does not collect there what the work before left behind.
		const server = await n8n.start();
		const run = async (name: keyof typeof workflows) =>
			await step(`${title}: ${name}`, async () => {
				await prepare({ containers });
				service.forgetRequests();
				return await measureServer(server, workflows[name], async () => {
					return service.countRequests().done >= (name === 'baseline' ? 1 : responses);
				});
			});
		const [baseline, own, http] = [await run('baseline'), await run('own'), await run('http')];
		await server.stop();
		const before = { 'what comes before': baseline, 'this node': own, 'HTTP Request node': http };
		for (const [what, { percentile, block, seconds }] of Object.entries(before)) {
			rows.push([`${title}: ${what}`, ...[percentile, block, seconds].map(formatSeconds)]);
		}
		const more = '/healthz beyond the HTTP Request node at the 99th percentile, in seconds';
		const longest = 'Longest block of the event loop beyond that of what comes before, in seconds';
		expectations.push(
			[`${more}: ${title}`, own.percentile - http.percentile, MAX_MORE],
			[`${longest}: ${title}`, own.block - baseline.block, MAX_BLOCK],
		);
	}
	await prepare();
	return {
		title: "n8n's responses to others while the node runs",
		note: "In n8n's server, from the start of the workflow, which reads the file, to the last response of the service. What comes before is the same workflow with one small request.",
		header: ['', '/healthz (99th percentile)', 'Longest block', 'Time'],
		rows,
		expectations,
	};
}

async function createWork({ environment, settings }: ScenarioContext): Promise<Work[]> {
	const { n8n, service } = environment;
	const options = { userId: service.userId };
	const items = Math.max(...settings.items);
	// The service has no contacts yet: this node sends as many changes as the HTTP Request node, for a tenth of the rows.
	const tenth = Math.ceil(settings.synced / 10);
	const update = build.createHttpUpdateNode(service);
	const csv = await writeContacts(n8n.files, 'responsive', items);
	const table = await writeContacts(n8n.files, 'table', tenth);
	const getAll = { resource: 'container', operation: 'getAll', returnAll: true, options };
	// One request, so that the end of the nodes before shows.
	const me = build.createOwnNode({ resource: 'user', operation: 'getMe' });
	const compare = (
		after: (node: NodeOptions) => WorkflowJson,
		own: NodeOptions,
		http: NodeOptions,
	) => ({ baseline: after({ ...me, executeOnce: true }), own: after(own), http: after(http) });
	return [
		{
			title: `${formatNumber(items)} contacts`,
			responses: items,
			workflows: compare(
				(node) => build.buildCsvWorkflow(csv, node),
				build.createOwnUpdateNode(options),
				update,
			),
		},
		{
			title: `Sync of ${formatNumber(tenth)} new contacts`,
			responses: tenth,
			workflows: compare(
				(node) => build.buildCsvWorkflow(table, node),
				build.createSyncNode({ options }),
				update,
			),
		},
		{
			title: `List of ${formatNumber(settings.synced)} containers`,
			responses: Math.ceil(settings.synced / PAGE),
			containers: settings.synced,
			workflows: compare(
				(node) => buildWorkflow([START, node]),
				build.createOwnNode(getAll),
				build.createHttpListNode(service),
			),
		},
		{
			title: `One file of ${formatSize(settings.largeBytes)}`,
			responses: 1,
			workflows: compare(
				(await build.prepareFile(n8n.files, 'large', settings.largeBytes)).buildUpload,
				build.ownEncodeNode,
				build.createHttpEncodeNode(service),
			),
		},
	];
}

/**
 * Runs a workflow and returns its time, that of a percentile of the responses of /healthz, and the longest time in which
 * the event loop did nothing else, in seconds; NaN where n8n doesn't tell.
 */
async function measureServer(
	server: N8nServer,
	workflow: WorkflowJson,
	isDone: () => Promise<boolean>,
) {
	const waits: number[] = [];
	let isRunning = true;
	// After a long block, n8n takes its database for lost until it looks again.
	await waitFor(async () => (await server.call('/healthz/readiness')).ok);
	// What was before does not count.
	await readLongestBlock(server);
	const start = performance.now();
	const body = { workflowData: workflow, triggerToStartFrom: { name: workflow.nodes[0].name } };
	await server.rest('POST', `/rest/workflows/${workflow.id}/run`, body);
	const probing = (async () => {
		while (isRunning) {
			const sent = performance.now();
			// n8n can close an idle connection at the moment when it is used again.
			await waitFor(async () => await server.call('/healthz').then(Boolean, () => false));
			waits.push((performance.now() - sent) / 1000);
			await delay(PROBE_MS);
		}
	})();
	await waitFor(isDone);
	const seconds = (performance.now() - start) / 1000;
	isRunning = false;
	await probing;
	waits.sort((one, other) => one - other);
	const percentile = waits[Math.floor((waits.length - 1) * PERCENTILE)];
	return { seconds, percentile, block: await readLongestBlock(server) };
}

/** Returns the longest delay of n8n's event loop since the last call, in seconds. */
async function readLongestBlock(server: N8nServer): Promise<number> {
	const metrics = await (await server.call('/metrics')).text();
	return Number(/^\w*nodejs_eventloop_lag_max_seconds(?:\{.*?\})? (\S+)$/m.exec(metrics)?.[1]);
}
