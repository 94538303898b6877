import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/index.cts';
import type { Execution } from '../../../tools/realN8n/execution.cts';
import { prepareN8n, type N8n, type N8nOptions } from '../../../tools/realN8n/n8n.cts';
import { createRunFolder } from '../../../tools/realN8n/runFolder.cts';
import type { N8nServer } from '../../../tools/realN8n/server.cts';
import {
	CREDENTIAL_TYPE,
	NODE_TYPE,
	workflowOf,
	type NodeOptions,
} from '../../../tools/realN8n/workflow.cts';
import { prepared } from './prepared.cts';

export interface E2e {
	sandbox: Sandbox;
	n8n: N8n;
	server: N8nServer;
	/** The credential for the sandbox, as a node names it. */
	credentials: Record<string, { id: string; name: string }>;
	/** One of our nodes, with the credential. */
	node(name: string, parameters: INodeParameters, more?: Partial<NodeOptions>): NodeOptions;
	/** Runs nodes that follow one another after a manual trigger named Start, in the running server. */
	runWorkflow(nodes: NodeOptions[]): Promise<Execution>;
	/** Everything that n8n printed: where secrets must not be. */
	log(): Promise<string>;
	stop(): Promise<void>;
}

export interface E2eOptions extends Pick<N8nOptions, 'binaryDataMode' | 'timezone' | 'env'> {
	sandbox?: SandboxOptions;
}

/**
 * Starts a sandbox and a real n8n with the packed package for one test file, with an owner, the
 * credential, and files below `n8n.files` open to workflows.
 */
export async function startE2e(options: E2eOptions = {}): Promise<E2e> {
	const { tarball, userFolder } = prepared.read();
	const folder = await createRunFolder('e2e-file');
	await cp(join(userFolder, '.n8n'), join(folder, '.n8n'), { recursive: true });
	const sandbox = await startSandbox({ ...options.sandbox, folder: join(folder, 'sandbox') });
	const n8n = await prepareN8n({ ...options, folder, tarball, caPath: sandbox.caPath });
	const stop = async () => {
		await n8n.stop();
		await sandbox.stop();
		await rm(folder, { recursive: true, force: true });
	};
	try {
		const server = await n8n.start();
		const credential = await server.createCredential({
			name: 'Sandbox',
			type: CREDENTIAL_TYPE,
			data: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
		});
		const credentials = { [CREDENTIAL_TYPE]: { id: credential, name: 'Sandbox' } };
		return {
			sandbox,
			n8n,
			server,
			credentials,
			stop,
			log: async () => await n8n.log(),
			node: (name, parameters, more = {}) => ({
				name,
				type: NODE_TYPE,
				credentials,
				...more,
				parameters,
			}),
			async runWorkflow(nodes) {
				const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };
				const id = await server.createWorkflow(workflowOf([start, ...nodes]));
				return await server.runWorkflow(id, start.name);
			},
		};
	} catch (error) {
		await stop();
		throw error;
	}
}
