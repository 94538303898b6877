import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../../tools/paths.cts';
import type { WorkflowJson } from '../../../tools/realN8n/workflow.cts';

export const examplesFolder = join(projectRoot, 'examples');

/** Reads all example workflows, by the names of their files without the ending. */
export async function readExamples(): Promise<Map<string, WorkflowJson>> {
	const files = (await readdir(examplesFolder)).filter((file) => file.endsWith('.json')).sort();
	const read = files.map(async (file) => {
		const text = await readFile(join(examplesFolder, file), 'utf8');
		return [file.slice(0, -'.json'.length), JSON.parse(text) as WorkflowJson] as const;
	});
	return new Map(await Promise.all(read));
}
