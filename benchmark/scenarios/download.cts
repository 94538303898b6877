import { openAsBlob } from 'node:fs';
import { File } from 'undici';
import { step } from '../../tools/tool.cts';
import { measureWorkflows } from '../measure.cts';
import { CASE_HEADER, formatSize, toRow, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import { buildDecodeWorkflow, buildIdleWorkflow, createHttpDecodeNode } from '../workflows.cts';
import { createOwnDecodeNode, prepareFile } from '../workflows.cts';

const MAX_GROWTH = 64e6;
/** The peaks of the same workflow differ by about this much from run to run. */
const NOISE = 16e6;
/** The service decrypts, and this node hashes; it writes larger pieces into n8n's storage. */
const MAX_TIME = 1;

/** Gets one large file back. */
export async function download(context: ScenarioContext): Promise<ScenarioResult> {
	const { largeBytes } = context.settings;
	const smallBytes = Math.ceil(largeBytes / 10);
	const { own, ownSmall, http, baseline } = await measureCases(context, { largeBytes, smallBytes });
	const growth = own.peakBytes - baseline.peakBytes;
	const growthSmall = ownSmall.peakBytes - baseline.peakBytes;
	return {
		title: `One file of ${formatSize(largeBytes)} comes back`,
		note: "The file goes into n8n's file store. This node also reads the container before, and compares size and SHA-256. The HTTP Request node compares nothing.",
		header: CASE_HEADER,
		rows: [
			toRow('This node', own, baseline),
			toRow(`This node, ${formatSize(smallBytes)}`, ownSmall, baseline),
			toRow('HTTP Request node', http, baseline),
		],
		expectations: [
			[`Memory growth for ${formatSize(largeBytes)} back`, growth, MAX_GROWTH, 'MB'],
			['Memory growth beyond that for a tenth', growth - growthSmall, NOISE, 'MB'],
			['Time back, relative to the HTTP Request node', own.seconds / http.seconds, MAX_TIME],
		],
	};
}

async function measureCases(
	context: ScenarioContext,
	{ largeBytes, smallBytes }: { largeBytes: number; smallBytes: number },
) {
	const { service, client, n8n, importWorkflows, measure } = context.environment;
	const encrypt = async (name: string, size: number) => {
		const { path } = await prepareFile(n8n.files, name, size);
		const file = new File([await openAsBlob(path)], name, { type: 'application/octet-stream' });
		return await client.addContainer({ name, file });
	};
	const [large, small] = await step('Encrypting the files', async () => [
		await encrypt('large-back', largeBytes),
		await encrypt('small-back', smallBytes),
	]);
	const workflows = {
		baseline: buildIdleWorkflow(),
		own: buildDecodeWorkflow(createOwnDecodeNode(large)),
		http: buildDecodeWorkflow(createHttpDecodeNode(service, large)),
		ownSmall: buildDecodeWorkflow(createOwnDecodeNode(small)),
	};
	await importWorkflows([workflows.ownSmall]);
	await step('Warming up', async () => await measure(workflows.ownSmall.id));
	const cases = await measureWorkflows(context, 'Download', workflows);
	await client.deleteAll();
	return cases;
}
