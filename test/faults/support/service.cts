import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/index.cts';
import { runNode, type RunNodeOptions, type RunNodeResult } from '../../support/engine.cts';
import { trustCertificateAuthority } from '../../support/trust.cts';

/** A sandbox that the node trusts, and whose user it already knows. */
export interface TrustedSandbox {
	sandbox: Sandbox;
	/** Executes the node with the sandbox, with the node's options beside its parameters. */
	run(
		parameters: INodeParameters,
		more?: Omit<RunNodeOptions, 'parameters' | 'credentials'> & { options?: INodeParameters },
	): Promise<RunNodeResult>;
	stop(): Promise<void>;
}

/** Starts a sandbox for a test file. */
export async function startTrustedSandbox(options: SandboxOptions = {}): Promise<TrustedSandbox> {
	const sandbox = await startSandbox(options);
	const untrust = trustCertificateAuthority(sandbox.ca);
	const run: TrustedSandbox['run'] = async (parameters, { options: nodeOptions, ...more } = {}) =>
		await runNode({
			...more,
			parameters: { ...parameters, ...(nodeOptions === undefined ? {} : { options: nodeOptions }) },
			credentials: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
		});
	await run({ resource: 'contact', operation: 'getAll' });
	sandbox.clearRequests();
	return {
		sandbox,
		run,
		async stop() {
			untrust();
			await sandbox.stop();
		},
	};
}

/** Parameters of a sync: each item creates or updates a contact. */
export const UPSERT: INodeParameters = {
	resource: 'contact',
	operation: 'upsert',
	email: '={{ $json.email }}',
	dataToSend: 'autoMapInputData',
};

/** Contacts as a CRM returns them. */
export function contactItems(count: number, first = 0): INodeExecutionData[] {
	return Array.from({ length: count }, (_, index) => ({
		json: { email: `person${first + index}@example.com`, number: first + index },
	}));
}
