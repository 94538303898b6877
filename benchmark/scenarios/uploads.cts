import { join } from 'node:path';
import { writeRandomFile } from '../../tools/randomFile.cts';
import { step } from '../../tools/tool.cts';
import { measureWorkflows } from '../measure.cts';
import { CASE_HEADER, formatSize, toRow, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import {
	buildFileWorkflow,
	createHttpEncodeNode,
	ownEncodeNode,
	writeManifest,
	writeRandomFiles,
} from '../workflows.cts';

const MAX_GROWTH = 64e6;
/** The peaks of the same workflow differ by about this much from run to run. */
const NOISE = 16e6;

/** The same files with this node, and with the HTTP Request node and each of its credentials. */
function buildClients(
	{ environment: { sandbox } }: ScenarioContext,
	selector: string,
	manifest: string,
) {
	return {
		baseline: buildFileWorkflow(selector, manifest),
		own: buildFileWorkflow(selector, manifest, ownEncodeNode),
		http: buildFileWorkflow(selector, manifest, createHttpEncodeNode(sandbox, 'bearer')),
		httpOwn: buildFileWorkflow(selector, manifest, createHttpEncodeNode(sandbox, 'own')),
	};
}

/** Uploads one large file. */
export async function upload(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings } = context;
	const { n8n, sandbox, measure } = environment;
	const { largeBytes, smallBytes } = settings;
	const [large, small] = [join(n8n.files, 'large.bin'), join(n8n.files, 'small.bin')];
	const manifest = join(n8n.files, 'manifest.json');
	await step(`Creating a file of ${formatSize(largeBytes)}`, async () => {
		await writeRandomFile(large, largeBytes);
		await writeRandomFile(small, smallBytes);
		await writeManifest(manifest);
	});
	const ownSmall = buildFileWorkflow(small, manifest, ownEncodeNode);
	await n8n.importWorkflows([ownSmall]);
	await step('Warming up', async () => await measure(ownSmall.id));
	const workflows = {
		...buildClients(context, large, manifest),
		baselineSmall: buildFileWorkflow(small, manifest),
		ownSmall,
	};
	const check = async (name: keyof typeof workflows) => {
		if (name.startsWith('baseline')) return;
		const parts = (await sandbox.requests()).flatMap((request) => request.parts ?? []);
		const files = parts.filter((one) => one.name === 'file');
		const sizes = files.map(({ size }) => size).join(', ');
		if (sizes === String(name === 'ownSmall' ? smallBytes : largeBytes)) return;
		throw new Error(`The service received ${sizes} bytes.`);
	};
	const cases = await measureWorkflows(context, 'Upload', workflows, { check });
	const { own, baseline, http } = cases;
	const growth = own.peakBytes - baseline.peakBytes;
	const growthSmall = cases.ownSmall.peakBytes - cases.baselineSmall.peakBytes;
	return {
		title: `One file of ${formatSize(largeBytes)}`,
		note: "The file comes from n8n's file store. The HTTP Request node uses its default settings, first with n8n's Bearer Auth credential, then with this package's credential, which turns redirects off. The peaks of the same workflow differ from run to run, so 16 MB of difference are allowed.",
		header: CASE_HEADER,
		rows: [
			toRow('This node', own, baseline),
			toRow(`This node, ${formatSize(smallBytes)}`, cases.ownSmall, cases.baselineSmall),
			toRow('HTTP Request node, Bearer Auth', http, baseline),
			toRow("HTTP Request node, this package's credential", cases.httpOwn, baseline),
		],
		expectations: [
			{
				title: `Memory growth for ${formatSize(largeBytes)}`,
				...{ value: growth, max: MAX_GROWTH, unit: 'MB' },
			},
			{
				title: `Memory growth beyond the growth for ${formatSize(smallBytes)}`,
				...{ value: growth - growthSmall, max: NOISE, unit: 'MB' },
			},
			{
				title: 'Time of the upload, relative to the HTTP Request node with Bearer Auth',
				...{ value: own.seconds / http.seconds, max: 0.5 },
			},
		],
	};
}

/** Encodes many files into one container each. */
export async function files(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings } = context;
	const { n8n, sandbox, measure } = environment;
	const { files: count, fileBytes } = settings;
	const manifest = join(n8n.files, 'manifest.json');
	await step(`Creating ${count} files of ${formatSize(fileBytes)}`, async () => {
		await writeRandomFiles(join(n8n.files, 'many'), count, fileBytes);
		await writeManifest(manifest);
	});
	const workflows = buildClients(context, join(n8n.files, 'many', '*.bin'), manifest);
	await n8n.importWorkflows([workflows.own]);
	await step('Warming up', async () => await measure(workflows.own.id));
	const check = async (name: keyof typeof workflows) => {
		const { encodeFiles = 0 } = (await sandbox.counts()).operations;
		if (name === 'baseline' || encodeFiles === count) return;
		throw new Error(`The service created ${encodeFiles} containers instead of ${count}.`);
	};
	const cases = await measureWorkflows(context, 'Files', workflows, { check });
	const { own, http, httpOwn, baseline } = cases;
	const subject = `of ${count} files, relative to the HTTP Request node with Bearer Auth`;
	const memory = (own.peakBytes - baseline.peakBytes) / (http.peakBytes - baseline.peakBytes);
	return {
		title: `${count} files of ${formatSize(fileBytes)}, one container each`,
		note: 'Both nodes use their default settings: this node sends five requests at a time, the HTTP Request node all at once.',
		header: CASE_HEADER,
		rows: [
			toRow('This node', own, baseline),
			toRow('HTTP Request node, Bearer Auth', http, baseline),
			toRow("HTTP Request node, this package's credential", httpOwn, baseline),
		],
		expectations: [
			{ title: `Time ${subject}`, value: own.seconds / http.seconds, max: 1 },
			{ title: `Memory ${subject}`, value: memory, max: 1 },
		],
	};
}
