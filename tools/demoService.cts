import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import type { EngineJob } from './engine/execute.cts';
import { readExamples, withCredentials } from './examples.cts';
import { onInterrupt, type Progress } from './tool.cts';
import { prepareN8n, type N8n } from './realN8n/n8n.cts';
import { inheritedEnvironment, runCommand } from './processes.cts';
import { createRunFolder, packPackage, projectRoot, unpackPackage } from './project.cts';
import {
	buildWorkflow,
	CREDENTIAL_TYPE,
	NODE_TYPE,
	toExecution,
	type CredentialJson,
	type Execution,
	type WorkflowJson,
} from './realN8n/workflow.cts';

/** What the demo and the development editor need, wherever their workflows run. */
export interface DemoService {
	/** Is removed when this process ends. */
	folder: string;
	/** The packed package. */
	tarball: string;
	sandbox: Sandbox;
	credential: CredentialJson;
	/** The example workflows with the credential, by file name without the extension. */
	workflows: Map<string, WorkflowJson>;
}

/** The example that the demo runs, and the file that it encrypts. */
export const exampleWorkflow = 'encrypt-an-invoice';
export const exampleFile = join(projectRoot, 'examples', 'files', 'invoice-2026-0042.pdf');

/** Builds and packs the package, and starts the sandbox until this process ends. */
export async function startDemoService(progress: Progress): Promise<DemoService> {
	const folder = await createRunFolder('demo');
	const tarball = await packPackage(folder, progress);
	const sandbox = await progress.step('Starting the sandbox service', async () => {
		const apiKey = `sandbox-${randomBytes(18).toString('base64url')}`;
		return await startSandbox({ folder: join(folder, 'sandbox'), apiKey });
	});
	onInterrupt(async () => await sandbox.stop());
	const credential: CredentialJson = {
		id: 'sandboxCredential',
		name: 'Encrypted Containers API',
		type: CREDENTIAL_TYPE,
		data: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
	};
	const { id, name, type } = credential;
	const workflows = new Map<string, WorkflowJson>();
	for (const [example, workflow] of await readExamples()) {
		workflows.set(example, withCredentials(workflow, { [type]: { id, name } }));
	}
	return { folder, tarball, sandbox, credential, workflows };
}

/** Copies the file of the example into a folder that the workflow can read. Returns its path. */
export async function copyExampleFile(folder: string): Promise<string> {
	const path = join(folder, basename(exampleFile));
	await mkdir(folder, { recursive: true });
	await copyFile(exampleFile, path);
	return path;
}

/**
 * Returns the workflow with this absolute path in each node that reads a file, and with a recipient in each node that
 * has none, as its note says.
 */
export function withFile(workflow: WorkflowJson, path: string): WorkflowJson {
	const nodes = workflow.nodes.map((node) => {
		const parameters = { ...node.parameters };
		if (node.type === 'n8n-nodes-base.readWriteFile') {
			parameters.fileSelector = path.replaceAll(sep, '/');
		}
		if (parameters.recipients === '') parameters.recipients = 'ada.lindqvist@example.com';
		return { ...node, parameters };
	});
	return { ...workflow, nodes };
}

/** Returns the workflow of the demo with a second act: the rules of the container before and after its access ends. */
export function withRevocation(workflow: WorkflowJson): WorkflowJson {
	const encode = workflow.nodes.find(({ parameters }) => parameters.operation === 'encode');
	const last = workflow.nodes.at(-1);
	if (!encode || !last) throw new Error(`The workflow "${workflow.name}" encrypts nothing.`);
	const value = `={{ $('${encode.name}').first().json.container.uuid }}`;
	const containerId = { __rl: true, mode: 'id', value };
	const added = buildWorkflow(
		Object.entries({
			'Rules Before': 'get',
			'Revoke Access': 'revoke',
			'Rules After': 'get',
		}).map(([name, operation]) => ({
			name,
			type: NODE_TYPE,
			credentials: encode.credentials,
			parameters: { resource: 'drm', operation, containerId },
		})),
	);
	const [first] = added.nodes;
	return {
		...workflow,
		nodes: [...workflow.nodes, ...added.nodes],
		connections: {
			...workflow.connections,
			...added.connections,
			[last.name]: { main: [[{ node: first.name, type: 'main', index: 0 }]] },
		},
	};
}

/**
 * Executes a workflow in n8n's own execution engine (n8n-core) without the rest of n8n: its loader loads
 * the packed package, its WorkflowExecute runs the nodes and sends their requests. It runs in a process of
 * its own, because Node.js reads NODE_EXTRA_CA_CERTS only at its start.
 * @param options.folder for everything that it writes; the current directory of the workflow
 * @param options.caPath PEM file of a certificate authority to trust in addition to the public ones
 */
export async function executeInEngine(
	options: Omit<EngineJob, 'packageFolder'> & { tarball: string; folder: string; caPath: string },
): Promise<Execution> {
	const { tarball, folder, caPath, workflow, credential } = options;
	const packageFolder = join(folder, 'package');
	await mkdir(folder, { recursive: true });
	await unpackPackage(tarball, packageFolder);
	const [jobPath, resultPath] = [join(folder, 'job.json'), join(folder, 'result.json')];
	const job: EngineJob = { packageFolder, workflow, credential };
	await writeFile(jobPath, JSON.stringify(job), { mode: 0o600 });
	await runCommand({
		command: process.execPath,
		args: [
			'--require',
			require.resolve('tsx/cjs'),
			join(__dirname, 'engine', 'execute.cts'),
			jobPath,
			resultPath,
		],
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

/** Prepares the real n8n with the packed package, the credential and these example workflows. */
export async function prepareDemoN8n(
	{ tarball, sandbox, credential, workflows }: DemoService,
	examples: string[],
	progress: Progress,
): Promise<N8n> {
	const n8n = await prepareN8n({ version: '2', tarball, caPath: sandbox.caPath, progress });
	const path = await copyExampleFile(n8n.files);
	await progress.step("Creating n8n's database and importing the credential", async () => {
		await n8n.importCredentials([credential]);
	});
	await progress.step('Importing the example workflows into n8n', async () => {
		const included = [...workflows].filter(([name]) => examples.includes(name));
		await n8n.importWorkflows(included.map(([, workflow]) => withFile(workflow, path)));
	});
	return n8n;
}
