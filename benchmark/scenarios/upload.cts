import { join } from 'node:path';
import { writeRandomFile } from '../../tools/randomFile.cts';
import { uploadWithCurl } from '../curl.cts';
import { getMedianSeconds, getMemoryGrowth, measureRounds } from '../measurements.cts';
import { CASE_HEADER, formatSize, getRatio, toRow, type ScenarioResult } from '../report.cts';
import { writeManifest } from '../testFiles.cts';
import { buildFileWorkflow } from '../workflows.cts';
import { createHttpEncodeNode, getEncodeUrl, ownEncodeNode } from './encodeNodes.cts';
import type { ScenarioContext } from './scenario.cts';

const MAX_GROWTH = 64e6;
/** The peaks of the same workflow differ by about this much from run to run. */
const NOISE = 16e6;

/** Uploads one large file with this node, the HTTP Request node and curl. */
export async function upload({
	environment,
	settings,
	progress,
}: ScenarioContext): Promise<ScenarioResult> {
	const { n8n, sandbox } = environment;
	const { largeBytes, smallBytes, rounds } = settings;
	const large = join(n8n.files, 'large.bin');
	const small = join(n8n.files, 'small.bin');
	const manifest = join(n8n.files, 'manifest.json');
	await progress.step(`Creating a file of ${formatSize(largeBytes)}`, async () => {
		await writeRandomFile(large, largeBytes);
		await writeRandomFile(small, smallBytes);
		await writeManifest(manifest);
	});
	const workflows = {
		baseline: buildFileWorkflow(large, manifest),
		baselineSmall: buildFileWorkflow(small, manifest),
		own: buildFileWorkflow(large, manifest, ownEncodeNode),
		ownSmall: buildFileWorkflow(small, manifest, ownEncodeNode),
		http: buildFileWorkflow(large, manifest, createHttpEncodeNode(sandbox, 'bearer')),
		httpOwn: buildFileWorkflow(large, manifest, createHttpEncodeNode(sandbox, 'own')),
	};
	await n8n.importWorkflows(Object.values(workflows));
	await progress.step('Warming up', async () => {
		await environment.measure(workflows.ownSmall.id);
	});

	const run = (name: keyof typeof workflows, bytes?: number) => async () => {
		const sample = await environment.measure(workflows[name].id);
		if (bytes !== undefined) await assertReceived(environment, bytes);
		return sample;
	};
	const cases = await measureRounds(
		rounds,
		{
			baseline: run('baseline'),
			own: run('own', largeBytes),
			http: run('http', largeBytes),
			httpOwn: run('httpOwn', largeBytes),
			curl: async () =>
				await uploadWithCurl({
					...{ url: getEncodeUrl(sandbox), apiKey: sandbox.apiKey, caPath: sandbox.caPath },
					...{ manifest, file: large, folder: environment.folder },
				}),
			baselineSmall: run('baselineSmall'),
			ownSmall: run('ownSmall', smallBytes),
		},
		(name, round) => progress.log(`Upload, round ${round}: ${name}`),
	);

	const growth = getMemoryGrowth(cases.own, cases.baseline);
	const growthSmall = getMemoryGrowth(cases.ownSmall, cases.baselineSmall);
	const ownSeconds = getMedianSeconds(cases.own);
	return {
		title: `One file of ${formatSize(largeBytes)}`,
		note: "The file comes from n8n's file store. The HTTP Request node uses its default settings, first with n8n's Bearer Auth credential, then with this package's credential, which turns redirects off. curl reads the file itself; its memory is that of its whole process. The peaks of the same workflow differ from run to run, so 16 MB of difference are allowed.",
		header: CASE_HEADER,
		rows: [
			toRow('This node', cases.own, cases.baseline),
			toRow(`This node, ${formatSize(smallBytes)}`, cases.ownSmall, cases.baselineSmall),
			toRow('HTTP Request node, Bearer Auth', cases.http, cases.baseline),
			toRow("HTTP Request node, this package's credential", cases.httpOwn, cases.baseline),
			toRow('curl', cases.curl, { name: 'nothing', samples: [{ seconds: 0, peakBytes: 0 }] }),
		],
		expectations: [
			{
				title: `Memory growth for ${formatSize(largeBytes)}`,
				value: growth,
				max: MAX_GROWTH,
				unit: 'MB',
			},
			{
				title: `Memory growth beyond the growth for ${formatSize(smallBytes)}`,
				value: growth === undefined || growthSmall === undefined ? undefined : growth - growthSmall,
				max: NOISE,
				unit: 'MB',
			},
			{
				title: 'Time of the upload, relative to the HTTP Request node with Bearer Auth',
				value: getRatio(ownSeconds, getMedianSeconds(cases.http)),
				max: 0.5,
			},
			{
				title: 'Time of the upload, relative to curl',
				value: getRatio(ownSeconds, getMedianSeconds(cases.curl)),
				max: 2,
			},
		],
	};
}

/** @throws when the service did not receive exactly one file of this size */
async function assertReceived(
	environment: ScenarioContext['environment'],
	bytes: number,
): Promise<void> {
	const requests = await environment.sandbox.requests();
	const files = requests.flatMap(({ parts = [] }) => parts.filter(({ name }) => name === 'file'));
	if (files.length === 1 && files[0].size === bytes) return;
	throw new Error(`The service received ${files.map((file) => file.size).join(', ')} bytes.`);
}
