import { step } from '../../tools/tool.cts';
import { measureWorkflows } from '../measure.cts';
import { CASE_HEADER, formatSize, toRow, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import { createHttpEncodeNode, ownEncodeNode, prepareFile } from '../workflows.cts';
import { uploadToReader, type UploadedFile } from './uploadToReader.cts';

const MAX_GROWTH = 64e6;
/** The peaks of the same workflow differ by about this much from run to run. */
const NOISE = 16e6;
/** The service hashes and encrypts, which takes most of the time of both. */
const MAX_TIME = 1;

/** Uploads one large file. */
export async function upload(context: ScenarioContext): Promise<ScenarioResult> {
	const { largeBytes } = context.settings;
	const { files } = context.environment.n8n;
	const smallBytes = Math.ceil(largeBytes / 10);
	const [large, small] = await step(`Creating a file of ${formatSize(largeBytes)}`, async () => [
		await prepareFile(files, 'large', largeBytes),
		await prepareFile(files, 'small', smallBytes),
	]);
	const cases = await measureCases(context, large, small);
	const { own, baseline, ownSmall, baselineSmall, http } = cases;
	const toReader = await uploadToReader(context, large, baseline);
	const growth = own.peakBytes - baseline.peakBytes;
	const growthSmall = ownSmall.peakBytes - baselineSmall.peakBytes;
	const size = formatSize(smallBytes);
	return {
		title: `One file of ${formatSize(largeBytes)}`,
		note: "The file comes from n8n's file store. The HTTP Request node uses its default settings and n8n's Bearer Auth credential. The peaks of the same workflow differ from run to run, so 16 MB of difference are allowed. The service hashes and encrypts; the server that only reads shows the time of who sends.",
		header: CASE_HEADER,
		rows: [
			toRow('This node', own, baseline),
			toRow(`This node, ${size}`, ownSmall, baselineSmall),
			toRow('HTTP Request node', http, baseline),
			...toReader.rows,
		],
		expectations: [
			[`Memory growth for ${formatSize(largeBytes)}`, growth, MAX_GROWTH, 'MB'],
			[`Memory growth beyond the growth for ${size}`, growth - growthSmall, NOISE, 'MB'],
			['Time, relative to the HTTP Request node', own.seconds / http.seconds, MAX_TIME],
			...toReader.expectations,
		],
	};
}

async function measureCases(context: ScenarioContext, large: UploadedFile, small: UploadedFile) {
	const { service, client, importWorkflows, measure } = context.environment;
	const workflows = {
		baseline: large.buildUpload(),
		own: large.buildUpload(ownEncodeNode),
		http: large.buildUpload(createHttpEncodeNode(service)),
		baselineSmall: small.buildUpload(),
		ownSmall: small.buildUpload(ownEncodeNode),
	};
	await importWorkflows([workflows.ownSmall]);
	await step('Warming up', async () => await measure(workflows.ownSmall.id));
	await client.deleteAll();
	const check = async (name: keyof typeof workflows) => {
		if (name.startsWith('baseline')) return;
		const stored = (await client.getContainers()).flatMap((container) => container.files);
		await client.deleteAll();
		const sizes = stored.map(({ size }) => size).join(', ');
		if (sizes === String(name === 'ownSmall' ? small.size : large.size)) return;
		throw new Error(`The service received ${sizes} bytes.`);
	};
	return await measureWorkflows(context, 'Upload', workflows, { check });
}
