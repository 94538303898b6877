import './environment.cts';
import { readFile, writeFile } from 'node:fs/promises';
import { WorkflowExecute } from 'n8n-core';
import { setGlobalState, Workflow } from 'n8n-workflow';
import { runTool } from '../runTool.cts';
import { additionalDataFor } from './additionalData.cts';
import { baseNodes } from './baseNodes.cts';
import { binaryStore } from './binary.cts';
import { FixedCredentials } from './credentials.cts';
import type { EngineJob } from './engine.cts';
import { loadNodePackage } from './package.cts';

/** Executes a job in this process: `runJob.cts JOB.json RESULT.json`. */
async function main() {
	const [jobPath, resultPath] = process.argv.slice(2);
	const job = JSON.parse(await readFile(jobPath, 'utf8')) as EngineJob;
	await binaryStore();
	// As n8n does at its start.
	setGlobalState({ defaultTimezone: String(process.env.GENERIC_TIMEZONE) });
	const { loader, nodeTypes } = await loadNodePackage(job.packageFolder, baseNodes);
	const workflow = new Workflow({ ...job.workflow, active: false, nodeTypes });
	const mode = 'cli';
	const additionalData = additionalDataFor({
		credentialsHelper: new FixedCredentials(loader, job.credential),
		executionId: '1',
		mode,
		workflow: job.workflow,
		settings: job.workflow.settings,
	});
	const run = await new WorkflowExecute(additionalData, mode).run({ workflow });
	await writeFile(resultPath, JSON.stringify(run));
}

runTool(main);
