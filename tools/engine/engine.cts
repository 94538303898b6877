import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { runCommand } from '../command.cts';
import { inheritedEnvironment } from '../inheritedEnvironment.cts';
import { unpackPackage } from '../packPackage.cts';
import { toExecution, type Execution } from '../realN8n/execution.cts';
import type { WorkflowJson } from '../realN8n/workflow.cts';

/** What one process of the engine executes. */
export interface EngineJob {
	packageFolder: string;
	workflow: WorkflowJson;
	credential: ICredentialDataDecryptedObject;
}

interface EngineOptions extends Omit<EngineJob, 'packageFolder'> {
	/** The packed package. */
	tarball: string;
	/** For everything that it writes; the current directory of the workflow. */
	folder: string;
	/** PEM file of a certificate authority to trust in addition to the public ones. */
	caPath: string;
}

/**
 * Executes a workflow in n8n's own execution engine (n8n-core) without the rest of n8n: its loader loads
 * the packed package, its WorkflowExecute runs the nodes and sends their requests. It runs in a process of
 * its own, because Node.js reads NODE_EXTRA_CA_CERTS only at its start.
 */
export async function executeInEngine(options: EngineOptions): Promise<Execution> {
	const { tarball, folder, caPath, workflow, credential } = options;
	const packageFolder = join(folder, 'package');
	const log = join(folder, 'engine.log');
	await mkdir(folder, { recursive: true });
	await unpackPackage(tarball, packageFolder);
	const [jobPath, resultPath] = [join(folder, 'job.json'), join(folder, 'result.json')];
	const job: EngineJob = { packageFolder, workflow, credential };
	await writeFile(jobPath, JSON.stringify(job), { mode: 0o600 });
	const tsx = require.resolve('tsx/cjs');
	const program = join(__dirname, 'runJob.cts');
	await runCommand({
		command: process.execPath,
		args: ['--require', tsx, program, jobPath, resultPath],
		cwd: folder,
		env: {
			...inheritedEnvironment(),
			NODE_EXTRA_CA_CERTS: caPath,
			N8N_RESTRICT_FILE_ACCESS_TO: join(folder, 'files'),
			GENERIC_TIMEZONE: 'UTC',
		},
		stdout: log,
	});
	return toExecution(JSON.parse(await readFile(resultPath, 'utf8')));
}
