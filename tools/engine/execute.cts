import './environment.cts';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkflowExecute } from 'n8n-core';
import {
	setGlobalState,
	Workflow,
	type ICredentialDataDecryptedObject,
	type IRun,
} from 'n8n-workflow';
import { inheritedEnvironment, runCommand } from '../processes.cts';
import { unpackPackage } from '../project.cts';
import { toExecution, type Execution, type WorkflowJson } from '../realN8n/workflow.cts';
import { runTool } from '../tool.cts';
import { binaryStore } from './binary.cts';
import { FixedCredentials } from './credentials.cts';
import { additionalDataFor } from './host.cts';
import { baseNodes, loadNodePackage, type LoadedPackage } from './package.cts';

/** Executes a workflow from its trigger on, in this process. An aborted signal cancels it. */
export async function executeWorkflow(
	{ loader, nodeTypes }: LoadedPackage,
	workflow: WorkflowJson,
	credential: ICredentialDataDecryptedObject,
	signal?: AbortSignal,
): Promise<IRun> {
	const mode = 'cli';
	const additionalData = additionalDataFor({
		credentialsHelper: new FixedCredentials(loader, credential),
		executionId: '1',
		mode,
		workflow,
		settings: workflow.settings,
	});
	const running = new WorkflowExecute(additionalData, mode).run({
		workflow: new Workflow({ ...workflow, active: false, nodeTypes }),
	});
	const cancel = () => running.cancel();
	signal?.addEventListener('abort', cancel, { once: true });
	try {
		return await running;
	} finally {
		signal?.removeEventListener('abort', cancel);
	}
}

interface Job {
	packageFolder: string;
	workflow: WorkflowJson;
	credential: ICredentialDataDecryptedObject;
}

/**
 * Executes a workflow in n8n's own execution engine (n8n-core) without the rest of n8n: its loader loads
 * the packed package, its WorkflowExecute runs the nodes and sends their requests. It runs in a process of
 * its own, because Node.js reads NODE_EXTRA_CA_CERTS only at its start.
 * @param options.folder for everything that it writes; the current directory of the workflow
 * @param options.caPath PEM file of a certificate authority to trust in addition to the public ones
 */
export async function executeInEngine(
	options: Omit<Job, 'packageFolder'> & { tarball: string; folder: string; caPath: string },
): Promise<Execution> {
	const { tarball, folder, caPath, workflow, credential } = options;
	const packageFolder = join(folder, 'package');
	await mkdir(folder, { recursive: true });
	await unpackPackage(tarball, packageFolder);
	const [jobPath, resultPath] = [join(folder, 'job.json'), join(folder, 'result.json')];
	const job: Job = { packageFolder, workflow, credential };
	await writeFile(jobPath, JSON.stringify(job), { mode: 0o600 });
	await runCommand({
		command: process.execPath,
		args: ['--require', require.resolve('tsx/cjs'), __filename, jobPath, resultPath],
		cwd: folder,
		env: {
			...inheritedEnvironment(),
			NODE_EXTRA_CA_CERTS: caPath,
			N8N_RESTRICT_FILE_ACCESS_TO: join(folder, 'files'),
			GENERIC_TIMEZONE: 'UTC',
		},
		stdout: join(folder, 'engine.log'),
	});
	return toExecution(JSON.parse(await readFile(resultPath, 'utf8')));
}

/** Executes a job in this process: `execute.cts JOB.json RESULT.json`. */
async function main() {
	const [jobPath, resultPath] = process.argv.slice(2);
	const job = JSON.parse(await readFile(jobPath, 'utf8')) as Job;
	await binaryStore();
	// As n8n does at its start.
	setGlobalState({ defaultTimezone: String(process.env.GENERIC_TIMEZONE) });
	const loaded = await loadNodePackage(job.packageFolder, baseNodes);
	const run = await executeWorkflow(loaded, job.workflow, job.credential);
	await writeFile(resultPath, JSON.stringify(run));
}

if (require.main === module) runTool(main);
