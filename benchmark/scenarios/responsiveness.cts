import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../tools/processes.cts';
import { writeRandomFile } from '../../tools/randomFile.cts';
import type { N8nServer } from '../../tools/realN8n/server.cts';
import { buildWorkflow, START, type WorkflowJson } from '../../tools/realN8n/workflow.cts';
import { step } from '../../tools/tool.cts';
import {
	formatNumber,
	formatSeconds,
	formatSize,
	type Expectation,
	type ScenarioResult,
} from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import * as build from '../workflows.cts';

/** How much longer /healthz may take than with the HTTP Request node, and how long n8n may answer nobody, in seconds. */
const MAX_MORE = 0.25;
const MAX_BLOCK = 0.2;
const PROBE_MS = 20;
const PERCENTILE = 0.99;

interface Work {
	title: string;
	baseline: WorkflowJson;
	own: WorkflowJson;
	http: WorkflowJson;
	/** Responses with a status of success after which it is done, of this node and of the HTTP Request node. */
	responses: { own: number; http: number };
	/** How many containers the service has. */
	containers?: number;
}

/** Measures how long n8n's server doesn't respond to others while the node runs, beside the HTTP Request node. */
export async function responsiveness(context: ScenarioContext): Promise<ScenarioResult> {
	const { n8n, sandbox } = context.environment;
	const all = await createWork(context);
	await n8n.importWorkflows(all.flatMap(({ baseline, own, http }) => [baseline, own, http]));
	const server = await n8n.start();
	const rows: string[][] = [];
	const expectations: Expectation[] = [];
	for (const { title, responses, containers = 0, ...workflows } of all) {
		const run = async (name: keyof typeof workflows, count: number) =>
			await step(`${title}: ${name}`, async () => {
				await sandbox.reset();
				await sandbox.settings({ record: 'counts' });
				await sandbox.addContainers(Array.from({ length: containers }, () => ({ name: 'Offer' })));
				const isDone = async () => {
					const { statuses } = await sandbox.counts();
					return (statuses['200'] ?? 0) + (statuses['201'] ?? 0) >= count;
				};
				return await measureServer(server, workflows[name], isDone);
			});
		const baseline = await run('baseline', 1);
		const own = await run('own', responses.own);
		const http = await run('http', responses.http);
		const before = { 'what comes before': baseline, 'this node': own, 'HTTP Request node': http };
		for (const [what, { percentile, block, seconds }] of Object.entries(before)) {
			rows.push([`${title}: ${what}`, ...[percentile, block, seconds].map(formatSeconds)]);
		}
		expectations.push(
			{
				title: `/healthz beyond the HTTP Request node at the 99th percentile, in seconds: ${title}`,
				value: own.percentile - http.percentile,
				max: MAX_MORE,
			},
			{
				title: `Longest block of the event loop beyond that of what comes before, in seconds: ${title}`,
				value: own.block - baseline.block,
				max: MAX_BLOCK,
			},
		);
	}
	await server.stop();
	await sandbox.reset();
	return {
		title: "n8n's responses to others while the node runs",
		note: "In n8n's server, from the start of the workflow, which reads the file, to the last response of the service. What comes before is the same workflow with one small request.",
		header: ['', '/healthz (99th percentile)', 'Longest block', 'Time'],
		rows,
		expectations,
	};
}

async function createWork({ environment, settings }: ScenarioContext): Promise<Work[]> {
	const { n8n, sandbox } = environment;
	const csvOf = async (name: string, count: number) => {
		const csv = join(n8n.files, `${name}-${count}.csv`);
		await build.writeContacts(csv, count);
		return csv;
	};
	// One request, so that the end of the nodes before shows.
	const me = build.createOwnNode({ resource: 'user', operation: 'getMe' });
	const once = { ...me, executeOnce: true };
	const options = { userId: sandbox.user.id };
	const work: Work[] = [];
	for (const count of settings.items) {
		const csv = await csvOf('responsive', count);
		work.push({
			title: `${formatNumber(count)} contacts`,
			baseline: build.buildCsvWorkflow(csv, once),
			own: build.buildCsvWorkflow(csv, build.createOwnUpdateNode(options)),
			http: build.buildCsvWorkflow(csv, build.createHttpUpdateNode(sandbox)),
			responses: { own: count, http: count },
		});
	}
	// The service has no contacts yet: the list and as many changes as the HTTP Request node sends in a tenth of the rows.
	const tenth = Math.ceil(settings.synced / 10);
	const table = await csvOf('table', tenth);
	work.push({
		title: `Sync of ${formatNumber(tenth)} new contacts`,
		baseline: build.buildCsvWorkflow(table, once),
		own: build.buildCsvWorkflow(table, build.createSyncNode({ options })),
		http: build.buildCsvWorkflow(table, build.createHttpUpdateNode(sandbox)),
		responses: { own: tenth + 1, http: tenth },
	});
	const getAll = { resource: 'container', operation: 'getAll', returnAll: true, options };
	work.push({
		title: `List of ${formatNumber(settings.synced)} containers`,
		baseline: buildWorkflow([START, once]),
		own: buildWorkflow([START, build.createOwnNode(getAll)]),
		http: buildWorkflow([START, build.createHttpListNode(sandbox)]),
		responses: { own: 1, http: 1 },
		containers: settings.synced,
	});
	const [large, manifest] = [join(n8n.files, 'large.bin'), join(n8n.files, 'manifest.json')];
	await writeRandomFile(large, settings.largeBytes);
	await build.writeManifest(manifest);
	work.push({
		title: `One file of ${formatSize(settings.largeBytes)}`,
		baseline: build.buildFileWorkflow(large, manifest, once),
		own: build.buildFileWorkflow(large, manifest, build.ownEncodeNode),
		http: build.buildFileWorkflow(large, manifest, build.createHttpEncodeNode(sandbox, 'own')),
		responses: { own: 1, http: 1 },
	});
	return work;
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
