import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';
import { createCertificate } from '../../sandbox/certificate.cts';
import { waitFor } from '../../tools/processes.cts';
import {
	buildWorkflow,
	CREDENTIAL_TYPE,
	START,
	type NodeOptions,
} from '../../tools/realN8n/workflow.cts';
import { step } from '../../tools/tool.cts';
import { measureWorkflows, type Sample } from '../measure.cts';
import { CASE_HEADER, formatNumber, formatSize, toRow, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import { createOwnNode } from '../workflows.cts';

const UNPACKED = 1_000_000_000;
const CHUNK = Buffer.alloc(1_000_000, ' ');
const MAX_MEMORY = 300e6;
const MAX_MILLISECONDS = 600_000;

const ITEMS = 20;
const LIST_BYTES = 60_000_000;
const RECORD_BYTES = 7_900_000;
/** As many as n8n accepts for an item. */
const TINY_ENTRIES = 100_000;

const CREDENTIAL = { id: 'benchBombs000001', name: 'Bombs' };
const LIST_OF_ITEMS: NodeOptions = {
	name: 'List',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {
		mode: 'raw',
		jsonOutput: JSON.stringify({ items: Array.from({ length: ITEMS }, (_, index) => index) }),
		options: {},
	},
};
const SPLIT: NodeOptions = {
	name: 'Split',
	type: 'n8n-nodes-base.splitOut',
	typeVersion: 1,
	parameters: { fieldToSplitOut: 'items', options: {} },
};

/** Responses that are small when they arrive and large when they are decompressed, and many large ones at a time. */
export async function bombs(context: ScenarioContext): Promise<ScenarioResult> {
	const { n8n } = context.environment;
	const title = `Responses that unpack to ${formatSize(UNPACKED)}`;
	const quality = { [constants.BROTLI_PARAM_QUALITY]: 1 };
	const bodies = await step(`Compressing ${formatSize(UNPACKED)} twice`, async () => ({
		gzip: await compress(createGzip({ level: 9 })),
		br: await compress(createBrotliCompress({ params: quality })),
	}));
	const service = await startService(bodies);
	try {
		await n8n.importCredentials([
			{
				...CREDENTIAL,
				type: CREDENTIAL_TYPE,
				data: { baseUrl: service.url, apiKey: 'none', allowUnauthorizedCerts: true },
			},
		]);
		const build = (parameters: INodeParameters, options?: INodeParameters) => {
			const node = createOwnNode({ ...parameters, options: { maxRetries: 0, ...options } });
			const credentials = { [CREDENTIAL_TYPE]: CREDENTIAL };
			const measured = { ...node, credentials, onError: 'continueRegularOutput' as const };
			const items = options === undefined ? [] : [LIST_OF_ITEMS, SPLIT];
			const settings = { executionOrder: 'v1', saveManualExecutions: true };
			return buildWorkflow([START, ...items, measured], { settings });
		};
		const get = (id: string) => ({ resource: 'container', operation: 'get', containerId: id });
		const getAll = { resource: 'container', operation: 'getAll' };
		const users = { userId: '=list{{ $itemIndex }}' };
		const workflows = {
			baseline: build(get('none')),
			gzip: build(get('gzip')),
			br: build(get('br')),
			records: build({ ...get('record'), resource: 'drm' }, { maxConcurrent: ITEMS }),
			lists: build({ ...getAll, returnAll: true }, users),
			tiny: build({ ...getAll, resource: 'contact', returnAll: true }, users),
			firsts: build({ ...getAll, returnAll: false, limit: 1 }, users),
		};
		const measure = async (id: string) => await measureServer(context, id);
		const inServer = { ...context, environment: { ...context.environment, measure } };
		const { baseline, ...cases } = await measureWorkflows(inServer, 'Responses', workflows);
		const titles = {
			gzip: 'gzip',
			br: 'Brotli',
			records: `${ITEMS} rules of ${formatSize(RECORD_BYTES)} at a time`,
			lists: `Lists of ${formatSize(LIST_BYTES)}, of ${ITEMS} users`,
			tiny: `Lists of ${formatNumber(TINY_ENTRIES)} tiny contacts, of ${ITEMS} users`,
			firsts: 'The first container of each of the lists',
		};
		return {
			title,
			note: `The responses have ${formatKilobytes(bodies.gzip)} (gzip) and ${formatKilobytes(bodies.br)} (Brotli) when they arrive. Measured in n8n's server, which also saves what the node returns.`,
			header: CASE_HEADER,
			rows: [
				toRow('A response of 15 bytes', baseline, baseline),
				...Object.entries(titles).map(([name, what]) =>
					toRow(what, cases[name as keyof typeof titles], baseline),
				),
			],
			expectations: Object.entries(titles).map(([name, what]) => ({
				title: `Memory for large responses: ${what}`,
				value: cases[name as keyof typeof titles].peakBytes - baseline.peakBytes,
				max: MAX_MEMORY,
				unit: 'MB',
			})),
		};
	} finally {
		await service.stop();
	}
}

/** Runs a workflow in a server of its own, to the end of saving it. */
async function measureServer({ environment }: ScenarioContext, id: string): Promise<Sample> {
	const server = await environment.n8n.start();
	const start = performance.now();
	const workflowData = await server.rest('GET', `/rest/workflows/${id}`);
	const body = { workflowData, triggerToStartFrom: { name: START.name } };
	await server.rest('POST', `/rest/workflows/${id}/run`, body);
	const hasEnded = async () =>
		(await server.executions(id)).some(({ status }) => status === 'success');
	await waitFor(hasEnded, MAX_MILLISECONDS, 'A workflow with large responses does not end.');
	const seconds = (performance.now() - start) / 1000;
	const { peakMemory, processorSeconds } = await server.stop();
	return { seconds, peakBytes: peakMemory, processorSeconds, requests: NaN };
}

function formatKilobytes({ length }: Buffer): string {
	return `${(length / 1000).toFixed(1)} kB`;
}

async function compress(compressor: Transform): Promise<Buffer> {
	const chunks = Array.from({ length: UNPACKED / CHUNK.length }, () => CHUNK);
	return await buffer(Readable.from(chunks).pipe(compressor));
}

/** JSON texts whose values take as much memory as the node allows. */
function createLargeBodies() {
	const entry = `{"uuid":"c-1","name":"${'a'.repeat(700)}"}`;
	const list = `[${`${entry},`.repeat(LIST_BYTES / (entry.length + 1))}${entry}]`;
	const address = `"${'a'.repeat(60)}@corp.example"`;
	const recipients = `${`${address},`.repeat(RECORD_BYTES / (address.length + 1))}${address}`;
	const tiny = JSON.stringify(Array.from({ length: TINY_ENTRIES }, (_, index) => `${index}@x.y`));
	return { list, tiny, record: `{"dynamic":true,"recipients":[${recipients}]}` };
}

async function startService(bodies: Record<string, Buffer>) {
	const { list, tiny, record } = createLargeBodies();
	const server = createServer(await createCertificate(), ({ url = '' }, response) => {
		const encoding = url.slice(url.lastIndexOf('/') + 1);
		const body: Buffer | undefined = bodies[encoding];
		response.setHeader('content-type', 'application/json');
		if (url.endsWith('/containers')) return void response.end(list);
		if (url.endsWith('/contacts')) return void response.end(tiny);
		if (url.endsWith('/record/drm')) return void response.end(record);
		if (body === undefined) return void response.end('{"uuid":"none"}');
		response.setHeader('content-encoding', encoding);
		response.end(body);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `https://localhost:${(server.address() as AddressInfo).port}/api/v1`,
		async stop() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
