import { join } from 'node:path';
import { CASE_HEADER, ratio, rowOf, size, type PartResult } from '../report.cts';
import { growthOf, interleave, secondsOf } from '../samples.cts';
import { writeManifest, writeRandomFiles } from '../testFiles.cts';
import { withFiles } from '../workflows.cts';
import { encodeOneEach, uploadByHttpRequest } from './encodeNodes.cts';
import type { PartContext } from './part.cts';

/** Many files, each encoded into a container of its own. */
export async function files({ stage, settings, progress }: PartContext): Promise<PartResult> {
	const { n8n, sandbox } = stage;
	const { files: count, fileBytes, rounds } = settings;
	const manifest = join(n8n.files, 'manifest.json');
	const selector = join(n8n.files, 'many', '*.bin');
	await progress.step(`Making ${count} files of ${size(fileBytes)}`, async () => {
		await writeRandomFiles(join(n8n.files, 'many'), count, fileBytes);
		await writeManifest(manifest);
	});
	const workflows = {
		idle: withFiles(selector, manifest),
		own: withFiles(selector, manifest, encodeOneEach),
		http: withFiles(selector, manifest, uploadByHttpRequest(sandbox, 'bearer')),
		httpOwn: withFiles(selector, manifest, uploadByHttpRequest(sandbox, 'own')),
	};
	await n8n.importWorkflows(Object.values(workflows));
	await progress.step('Warming up', async () => {
		await stage.measure(workflows.own.id);
	});

	const run = (name: keyof typeof workflows) => async () => {
		const sample = await stage.measure(workflows[name].id);
		const { operations } = await sandbox.counts();
		if (name !== 'idle' && operations.encodeFiles !== count) {
			throw new Error(`The service made ${operations.encodeFiles} containers, not ${count}.`);
		}
		return sample;
	};
	const cases = await interleave(
		rounds,
		{ idle: run('idle'), own: run('own'), http: run('http'), httpOwn: run('httpOwn') },
		(name, round) => progress.note(`Files, round ${round}: ${name}`),
	);
	return {
		title: `${count} files of ${size(fileBytes)}, one container each`,
		note: 'This node has its defaults (five requests at a time), and so has the HTTP Request node (all at once).',
		header: CASE_HEADER,
		rows: [
			rowOf('This node', cases.own, cases.idle),
			rowOf('HTTP Request node, Bearer Auth', cases.http, cases.idle),
			rowOf("HTTP Request node, this package's credential", cases.httpOwn, cases.idle),
		],
		expectations: [
			{
				text: `Time of ${count} files, of the HTTP Request node with Bearer Auth`,
				value: ratio(secondsOf(cases.own), secondsOf(cases.http)),
				most: 1,
			},
			{
				text: `Memory of ${count} files, of the HTTP Request node with Bearer Auth`,
				value: ratio(growthOf(cases.own, cases.idle), growthOf(cases.http, cases.idle)),
				most: 1,
			},
		],
	};
}
