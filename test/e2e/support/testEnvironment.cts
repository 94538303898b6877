import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/index.cts';
import {
	type Execution,
	CREDENTIAL_TYPE,
	NODE_TYPE,
	buildWorkflow,
	type NodeOptions,
} from '../../../tools/realN8n/workflow.cts';
import { prepareN8n, type N8n, type N8nOptions } from '../../../tools/realN8n/n8n.cts';
import type { N8nServer } from '../../../tools/realN8n/server.cts';
import { createRunFolder } from '../../../tools/project.cts';
import { setup } from './setup.cts';

export interface TestEnvironment {
	sandbox: Sandbox;
	n8n: N8n;
	server: N8nServer;
	/** The credential for the sandbox, in the format of a node. */
	credentials: Record<string, { id: string; name: string }>;
	/** One of our nodes, with the credential. */
	node(name: string, parameters: INodeParameters, more?: Partial<NodeOptions>): NodeOptions;
	/** Runs nodes one after the other, after a manual trigger with the name Start. */
	runWorkflow(nodes: NodeOptions[]): Promise<Execution>;
	/** Returns everything that n8n has printed. It must not contain secrets. */
	log(): Promise<string>;
	stop(): Promise<void>;
}

export interface TestEnvironmentOptions extends Pick<
	N8nOptions,
	'binaryDataMode' | 'timezone' | 'env'
> {
	sandbox?: SandboxOptions;
	/** PEM of another certificate authority that n8n trusts. */
	ca?: string;
}

/**
 * Starts a sandbox and a real n8n for one test file, with the packed package and the credential.
 * Workflows can read and write files below `n8n.files`.
 */
export async function startTestEnvironment(
	options: TestEnvironmentOptions = {},
): Promise<TestEnvironment> {
	const { tarball, userFolder } = setup.read();
	const folder = await createRunFolder('e2e-file');
	await cp(join(userFolder, '.n8n'), join(folder, '.n8n'), { recursive: true });
	const sandbox = await startSandbox({ ...options.sandbox, folder: join(folder, 'sandbox') });
	const caPath = options.ca === undefined ? sandbox.caPath : join(folder, 'authorities.pem');
	if (options.ca !== undefined) await writeFile(caPath, [sandbox.ca, options.ca].join('\n'));
	const n8n = await prepareN8n({ ...options, folder, tarball, caPath });
	const stop = async () => {
		await n8n.stop();
		await sandbox.stop();
		await rm(folder, { recursive: true, force: true });
	};
	try {
		const server = await n8n.start();
		const name = 'Sandbox';
		const data = { baseUrl: sandbox.url, apiKey: sandbox.apiKey };
		const id = await server.createCredential({ name, type: CREDENTIAL_TYPE, data });
		const credentials = { [CREDENTIAL_TYPE]: { id, name } };
		return {
			sandbox,
			n8n,
			server,
			credentials,
			stop,
			log: n8n.log,
			node: (nodeName, parameters, more = {}) => ({
				name: nodeName,
				type: NODE_TYPE,
				credentials,
				...more,
				parameters,
			}),
			async runWorkflow(nodes) {
				const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };
				const workflowId = await server.createWorkflow(buildWorkflow([start, ...nodes]));
				return await server.runWorkflow(workflowId, start.name);
			},
		};
	} catch (error) {
		await stop();
		throw error;
	}
}
