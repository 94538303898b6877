import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { createCertificate } from '../../sandbox/certificate.cts';
import { buildWorkflow, CREDENTIAL_TYPE, type NodeOptions } from '../../tools/realN8n/workflow.cts';
import { getMemoryGrowth, measureRounds } from '../measurements.cts';
import { CASE_HEADER, formatSize, toRow, type ScenarioResult } from '../report.cts';
import { createOwnNode } from '../workflows.cts';
import type { ScenarioContext } from './scenario.cts';

const UNPACKED = 1_000_000_000;
const CHUNK = Buffer.alloc(1_000_000, ' ');
const MAX_MEMORY = 60e6;

const CREDENTIAL = { id: 'benchBombs000001', name: 'Bombs' };
const START: NodeOptions = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

/** Responses that are small when they arrive, and large when they are decompressed. */
export async function bombs({
	environment,
	settings,
	progress,
}: ScenarioContext): Promise<ScenarioResult> {
	const { n8n } = environment;
	const title = `Responses that unpack to ${formatSize(UNPACKED)}`;
	const quality = { [constants.BROTLI_PARAM_QUALITY]: 1 };
	const bodies = await progress.step(`Compressing ${formatSize(UNPACKED)} twice`, async () => ({
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
		const build = (id: string) => {
			const parameters = { resource: 'container', operation: 'get', containerId: id };
			const node = createOwnNode({ ...parameters, options: { maxRetries: 0 } });
			const credentials = { [CREDENTIAL_TYPE]: CREDENTIAL };
			return buildWorkflow([START, { ...node, credentials, onError: 'continueRegularOutput' }]);
		};
		const workflows = { baseline: build('none'), gzip: build('gzip'), br: build('br') };
		await n8n.importWorkflows(Object.values(workflows));
		const run = (name: keyof typeof workflows) => async () => {
			const { seconds, peakBytes } = await environment.measure(workflows[name].id);
			return { seconds, peakBytes };
		};
		const cases = await measureRounds(
			settings.rounds,
			{ baseline: run('baseline'), gzip: run('gzip'), br: run('br') },
			(name, round) => progress.log(`Responses, round ${round}: ${name}`),
		);
		const { baseline, gzip, br } = cases;
		return {
			title,
			note: `The node reads at most 8 MB of the response, and fails. The responses have ${formatKilobytes(bodies.gzip)} (gzip) and ${formatKilobytes(bodies.br)} (Brotli) when they arrive.`,
			header: CASE_HEADER,
			rows: [
				toRow('A response of 15 bytes', baseline, baseline),
				toRow('gzip', gzip, baseline),
				toRow('Brotli', br, baseline),
			],
			expectations: [gzip, br].map((measured) => ({
				title: `Memory for a ${measured.name} response that unpacks to ${formatSize(UNPACKED)}`,
				value: getMemoryGrowth(measured, baseline),
				max: MAX_MEMORY,
				unit: 'MB',
			})),
		};
	} finally {
		await service.stop();
	}
}

function formatKilobytes({ length }: Buffer): string {
	return `${(length / 1000).toFixed(1)} kB`;
}

async function compress(compressor: Transform): Promise<Buffer> {
	const chunks = Array.from({ length: UNPACKED / CHUNK.length }, () => CHUNK);
	return await buffer(Readable.from(chunks).pipe(compressor));
}

async function startService(bodies: Record<string, Buffer>) {
	const server = createServer(await createCertificate(), ({ url = '' }, response) => {
		const encoding = url.slice(url.lastIndexOf('/') + 1);
		const body: Buffer | undefined = bodies[encoding];
		response.setHeader('content-type', 'application/json');
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
