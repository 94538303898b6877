import { join } from 'node:path';
import { getMedianSeconds, getMemoryGrowth, measureRounds } from '../measurements.cts';
import { CASE_HEADER, formatSize, getRatio, toRow, type ScenarioResult } from '../report.cts';
import { writeManifest, writeRandomFiles } from '../testFiles.cts';
import { buildFileWorkflow } from '../workflows.cts';
import { createHttpEncodeNode, ownEncodeNode } from './encodeNodes.cts';
import type { ScenarioContext } from './scenario.cts';

/** Encodes many files into one container each. */
export async function files({
	environment,
	settings,
	progress,
}: ScenarioContext): Promise<ScenarioResult> {
	const { n8n, sandbox } = environment;
	const { files: count, fileBytes, rounds } = settings;
	const manifest = join(n8n.files, 'manifest.json');
	const selector = join(n8n.files, 'many', '*.bin');
	await progress.step(`Creating ${count} files of ${formatSize(fileBytes)}`, async () => {
		await writeRandomFiles(join(n8n.files, 'many'), count, fileBytes);
		await writeManifest(manifest);
	});
	const workflows = {
		baseline: buildFileWorkflow(selector, manifest),
		own: buildFileWorkflow(selector, manifest, ownEncodeNode),
		http: buildFileWorkflow(selector, manifest, createHttpEncodeNode(sandbox, 'bearer')),
		httpOwn: buildFileWorkflow(selector, manifest, createHttpEncodeNode(sandbox, 'own')),
	};
	await n8n.importWorkflows(Object.values(workflows));
	await progress.step('Warming up', async () => {
		await environment.measure(workflows.own.id);
	});

	const run = (name: keyof typeof workflows) => async () => {
		const sample = await environment.measure(workflows[name].id);
		const { operations } = await sandbox.counts();
		if (name !== 'baseline' && operations.encodeFiles !== count) {
			throw new Error(
				`The service created ${operations.encodeFiles} containers instead of ${count}.`,
			);
		}
		return sample;
	};
	const cases = await measureRounds(
		rounds,
		{ baseline: run('baseline'), own: run('own'), http: run('http'), httpOwn: run('httpOwn') },
		(name, round) => progress.log(`Files, round ${round}: ${name}`),
	);
	return {
		title: `${count} files of ${formatSize(fileBytes)}, one container each`,
		note: 'Both nodes use their default settings: this node sends five requests at a time, the HTTP Request node all at once.',
		header: CASE_HEADER,
		rows: [
			toRow('This node', cases.own, cases.baseline),
			toRow('HTTP Request node, Bearer Auth', cases.http, cases.baseline),
			toRow("HTTP Request node, this package's credential", cases.httpOwn, cases.baseline),
		],
		expectations: [
			{
				title: `Time of ${count} files, relative to the HTTP Request node with Bearer Auth`,
				value: getRatio(getMedianSeconds(cases.own), getMedianSeconds(cases.http)),
				max: 1,
			},
			{
				title: `Memory of ${count} files, relative to the HTTP Request node with Bearer Auth`,
				value: getRatio(
					getMemoryGrowth(cases.own, cases.baseline),
					getMemoryGrowth(cases.http, cases.baseline),
				),
				max: 1,
			},
		],
	};
}
