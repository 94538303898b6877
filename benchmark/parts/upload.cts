import { join } from 'node:path';
import { uploadWithCurl } from '../curl.cts';
import { CASE_HEADER, ratio, rowOf, size, type PartResult } from '../report.cts';
import { growthOf, interleave, secondsOf } from '../samples.cts';
import { writeManifest, writeRandomFile } from '../testFiles.cts';
import { withFiles } from '../workflows.cts';
import { encodeOneEach, encodeUrl, uploadByHttpRequest } from './encodeNodes.cts';
import type { PartContext } from './part.cts';

const MOST_GROWTH = 64e6;
/** Peaks of one and the same workflow lie apart by about as much from run to run. */
const NOISE = 16e6;

/** One large file, encoded by this node, uploaded by the HTTP Request node and by curl. */
export async function upload({ stage, settings, progress }: PartContext): Promise<PartResult> {
	const { n8n, sandbox } = stage;
	const { largeBytes, smallBytes, rounds } = settings;
	const large = join(n8n.files, 'large.bin');
	const small = join(n8n.files, 'small.bin');
	const manifest = join(n8n.files, 'manifest.json');
	await progress.step(`Making a file of ${size(largeBytes)}`, async () => {
		await writeRandomFile(large, largeBytes);
		await writeRandomFile(small, smallBytes);
		await writeManifest(manifest);
	});
	const workflows = {
		idle: withFiles(large, manifest),
		idleSmall: withFiles(small, manifest),
		own: withFiles(large, manifest, encodeOneEach),
		ownSmall: withFiles(small, manifest, encodeOneEach),
		http: withFiles(large, manifest, uploadByHttpRequest(sandbox, 'bearer')),
		httpOwn: withFiles(large, manifest, uploadByHttpRequest(sandbox, 'own')),
	};
	await n8n.importWorkflows(Object.values(workflows));
	await progress.step('Warming up', async () => {
		await stage.measure(workflows.ownSmall.id);
	});

	const run = (name: keyof typeof workflows, bytes?: number) => async () => {
		const sample = await stage.measure(workflows[name].id);
		if (bytes !== undefined) await assertReceived(stage, bytes);
		return sample;
	};
	const cases = await interleave(
		rounds,
		{
			idle: run('idle'),
			own: run('own', largeBytes),
			http: run('http', largeBytes),
			httpOwn: run('httpOwn', largeBytes),
			curl: async () =>
				await uploadWithCurl({
					...{ url: encodeUrl(sandbox), apiKey: sandbox.apiKey, caPath: sandbox.caPath },
					...{ manifest, file: large, folder: stage.folder },
				}),
			idleSmall: run('idleSmall'),
			ownSmall: run('ownSmall', smallBytes),
		},
		(name, round) => progress.note(`Upload, round ${round}: ${name}`),
	);

	const growth = growthOf(cases.own, cases.idle);
	const growthSmall = growthOf(cases.ownSmall, cases.idleSmall);
	const ownSeconds = secondsOf(cases.own);
	return {
		title: `One file of ${size(largeBytes)}`,
		note: "The file comes from n8n's file store. The HTTP Request node has its defaults, once with n8n's Bearer Auth credential, once with this package's credential, which turns redirects off. curl reads the file itself; its memory is that of its whole process. Peaks of one and the same workflow differ from run to run: 16 MB are allowed for that.",
		header: CASE_HEADER,
		rows: [
			rowOf('This node', cases.own, cases.idle),
			rowOf(`This node, ${size(smallBytes)}`, cases.ownSmall, cases.idleSmall),
			rowOf('HTTP Request node, Bearer Auth', cases.http, cases.idle),
			rowOf("HTTP Request node, this package's credential", cases.httpOwn, cases.idle),
			rowOf('curl', cases.curl, { name: 'nothing', samples: [{ seconds: 0, peakBytes: 0 }] }),
		],
		expectations: [
			{
				text: `Memory growth for ${size(largeBytes)}`,
				value: growth,
				most: MOST_GROWTH,
				unit: 'MB',
			},
			{
				text: `Memory growth beyond that for ${size(smallBytes)}`,
				value: growth === undefined || growthSmall === undefined ? undefined : growth - growthSmall,
				most: NOISE,
				unit: 'MB',
			},
			{
				text: 'Time of the upload, of the HTTP Request node with Bearer Auth',
				value: ratio(ownSeconds, secondsOf(cases.http)),
				most: 0.5,
			},
			{
				text: 'Time of the upload, of curl',
				value: ratio(ownSeconds, secondsOf(cases.curl)),
				most: 2,
			},
		],
	};
}

/** @throws Error when the service has not received one file of that size */
async function assertReceived(stage: PartContext['stage'], bytes: number): Promise<void> {
	const requests = await stage.sandbox.requests();
	const files = requests.flatMap(({ parts = [] }) => parts.filter(({ name }) => name === 'file'));
	if (files.length === 1 && files[0].size === bytes) return;
	throw new Error(`The service received ${files.map((file) => file.size).join(', ')} bytes.`);
}
