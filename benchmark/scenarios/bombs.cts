import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';
import { createCertificate } from '../../sandbox/certificate.cts';
import { waitFor } from '../../tools/processes.cts';
import { buildWorkflow, CREDENTIAL_TYPE, START } from '../../tools/realN8n/workflow.cts';
import { step } from '../../tools/tool.cts';
import { measureWorkflows, type Sample } from '../measure.cts';
import { CASE_HEADER, formatSize, toRow, type ScenarioResult } from '../report.cts';
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
const MANY_ITEMS = [
	{
		...{ name: 'List', type: 'n8n-nodes-base.set', typeVersion: 3.4 },
		parameters: {
			...{ mode: 'raw', options: {} },
			jsonOutput: JSON.stringify({ items: [...Array(ITEMS).keys()] }),
		},
	},
	{
		...{ name: 'Split', type: 'n8n-nodes-base.splitOut', typeVersion: 1 },
		parameters: { fieldToSplitOut: 'items', options: {} },
	},
];

/** Responses that are small when they arrive and large when they are decompressed, and many large ones at a time. */
export async function bombs(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment } = context;
	const title = `Responses that unpack to ${formatSize(UNPACKED)}`;
	const quality = { [constants.BROTLI_PARAM_QUALITY]: 1 };
	const bodies = await step(`Compressing ${formatSize(UNPACKED)} twice`, async () => ({
		gzip: await compress(createGzip({ level: 9 })),
		br: await compress(createBrotliCompress({ params: quality })),
	}));
	const service = await startService(bodies);
	try {
		const data = { baseUrl: service.url, apiKey: 'none', allowUnauthorizedCerts: true };
		await environment.n8n.importCredentials([{ ...CREDENTIAL, type: CREDENTIAL_TYPE, data }]);
		const build = (parameters: INodeParameters, options?: INodeParameters) =>
			buildWorkflow(
				[
					START,
					...(options === undefined ? [] : MANY_ITEMS),
					{
						...createOwnNode({ ...parameters, options: { maxRetries: 0, ...options } }),
						credentials: { [CREDENTIAL_TYPE]: CREDENTIAL },
						onError: 'continueRegularOutput',
					},
				],
				{ settings: { executionOrder: 'v1', saveManualExecutions: true } },
			);
		const get = (id: string) => ({ resource: 'container', operation: 'get', containerId: id });
		const getAll = { resource: 'container', operation: 'getAll', returnAll: true };
		const getFirst = { ...getAll, returnAll: false, limit: 1 };
		const users = { userId: '=list{{ $itemIndex }}' };
		const workflows = {
			'A response of 15 bytes': build(get('none')),
			gzip: build(get('gzip')),
			Brotli: build(get('br')),
			'20 rules of 8 MB': build({ ...get('record'), resource: 'drm' }, { maxConcurrent: ITEMS }),
			'Lists of 60 MB, of 20 users': build(getAll, users),
			'100,000 tiny contacts, of 20 users': build({ ...getAll, resource: 'contact' }, users),
			'The first container of each of the lists': build(getFirst, users),
		};
		const measure = async (id: string) => await measureServer(context, id);
		const inServer = { ...context, environment: { ...environment, measure } };
		const cases = Object.entries(await measureWorkflows(inServer, 'Responses', workflows));
		const [[, baseline], ...large] = cases;
		const [gzip, br] = [bodies.gzip, bodies.br].map(({ length }) => (length / 1000).toFixed(1));
		return {
			title,
			note: `The responses have ${gzip} kB (gzip) and ${br} kB (Brotli) when they arrive. Measured in n8n's server, which also saves what the node returns.`,
			header: CASE_HEADER,
			rows: cases.map(([name, measured]) => toRow(name, measured, baseline)),
			expectations: large.map(([name, { peakBytes }]) => [
				`Memory for large responses: ${name}`,
				...([peakBytes - baseline.peakBytes, MAX_MEMORY, 'MB'] as const),
			]),
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

async function compress(compressor: Transform): Promise<Buffer> {
	const chunks = Array.from({ length: UNPACKED / CHUNK.length }, () => CHUNK);
	return await buffer(Readable.from(chunks).pipe(compressor));
}

/** Starts a service whose JSON takes as much memory as the node allows. */
async function startService(bodies: Record<string, Buffer>) {
	const repeat = (entry: string, bytes: number) =>
		`[${`${entry},`.repeat(bytes / (entry.length + 1))}${entry}]`;
	const list = repeat(`{"uuid":"c-1","name":"${'a'.repeat(700)}"}`, LIST_BYTES);
	const recipients = repeat(`"${'a'.repeat(60)}@corp.example"`, RECORD_BYTES);
	const tiny = JSON.stringify(Array.from({ length: TINY_ENTRIES }, (_, index) => `${index}@x.y`));
	const texts: Record<string, string> = {
		containers: list,
		contacts: tiny,
		drm: `{"dynamic":true,"recipients":${recipients}}`,
	};
	const server = createServer(await createCertificate(), ({ url = '' }, response) => {
		const last = url.slice(url.lastIndexOf('/') + 1);
		response.setHeader('content-type', 'application/json');
		if (last in bodies) response.setHeader('content-encoding', last);
		response.end(bodies[last] ?? texts[last] ?? '{"uuid":"none"}');
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
