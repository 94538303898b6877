import './environment.cts';
import { readFile, writeFile } from 'node:fs/promises';
import { setGlobalState } from 'n8n-workflow';
import { runTool } from '../runTool.cts';
import { baseNodes } from './baseNodes.cts';
import { binaryStore } from './binary.cts';
import type { EngineJob } from './engine.cts';
import { executeWorkflow } from './executeWorkflow.cts';
import { loadNodePackage } from './package.cts';

/** Executes a job in this process: `runJob.cts JOB.json RESULT.json`. */
async function main() {
	const [jobPath, resultPath] = process.argv.slice(2);
	const job = JSON.parse(await readFile(jobPath, 'utf8')) as EngineJob;
	await binaryStore();
	// As n8n does at its start.
	setGlobalState({ defaultTimezone: String(process.env.GENERIC_TIMEZONE) });
	const loaded = await loadNodePackage(job.packageFolder, baseNodes);
	const run = await executeWorkflow(loaded, job.workflow, job.credential);
	await writeFile(resultPath, JSON.stringify(run));
}

runTool(main);
