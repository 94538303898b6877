import { step } from '../../tools/tool.cts';
import { measureWorkflows } from '../measure.cts';
import { CASE_HEADER, formatSize, toRow, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import { createHttpEncodeNode, ownEncodeNode, prepareFile } from '../workflows.cts';

const MAX_GROWTH = 64e6;
/** The peaks of the same workflow differ by about this much from run to run. */
const NOISE = 16e6;
/** The service hashes and encrypts, which takes most of the time of both. */
const MAX_TIME = 1;

/** Uploads one large file. */
export async function upload(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings } = context;
	const { n8n, service, client, importWorkflows, measure } = environment;
	const { largeBytes } = settings;
	const smallBytes = Math.ceil(largeBytes / 10);
	const [large, small] = await step(`Creating a file of ${formatSize(largeBytes)}`, async () => [
		await prepareFile(n8n.files, 'large', largeBytes),
		await prepareFile(n8n.files, 'small', smallBytes),
	]);
	const workflows = {
		baseline: large(),
		own: large(ownEncodeNode),
		http: large(createHttpEncodeNode(service)),
		baselineSmall: small(),
		ownSmall: small(ownEncodeNode),
	};
	await importWorkflows([workflows.ownSmall]);
	await step('Warming up', async () => await measure(workflows.ownSmall.id));
	await client.deleteAll();
	const check = async (name: keyof typeof workflows) => {
		if (name.startsWith('baseline')) return;
		const files = (await client.getContainers()).flatMap((container) => container.files);
		await client.deleteAll();
		const sizes = files.map(({ size }) => size).join(', ');
		if (sizes === String(name === 'ownSmall' ? smallBytes : largeBytes)) return;
		throw new Error(`The service received ${sizes} bytes.`);
	};
	const cases = await measureWorkflows(context, 'Upload', workflows, { check });
	const { own, baseline, ownSmall, baselineSmall, http } = cases;
	const growth = own.peakBytes - baseline.peakBytes;
	const growthSmall = ownSmall.peakBytes - baselineSmall.peakBytes;
	const size = formatSize(smallBytes);
	return {
		title: `One file of ${formatSize(largeBytes)}`,
		note: "The file comes from n8n's file store. The HTTP Request node uses its default settings and n8n's Bearer Auth credential. The peaks of the same workflow differ from run to run, so 16 MB of difference are allowed.",
		header: CASE_HEADER,
		rows: [
			toRow('This node', own, baseline),
			toRow(`This node, ${size}`, ownSmall, baselineSmall),
			toRow('HTTP Request node', http, baseline),
		],
		expectations: [
			[`Memory growth for ${formatSize(largeBytes)}`, growth, MAX_GROWTH, 'MB'],
			[`Memory growth beyond the growth for ${size}`, growth - growthSmall, NOISE, 'MB'],
			['Time, relative to the HTTP Request node', own.seconds / http.seconds, MAX_TIME],
		],
	};
}
