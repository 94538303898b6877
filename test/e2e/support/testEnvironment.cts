import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { waitFor } from '../../../tools/processes.cts';
import { createRunFolder } from '../../../tools/project.cts';
import { prepareN8n } from '../../../tools/realN8n/n8n.cts';
import {
	buildWorkflow,
	CREDENTIAL_TYPE,
	NODE_TYPE,
	START,
	type NodeOptions,
} from '../../../tools/realN8n/workflow.cts';
import { startTestService } from '../../support/service.cts';
import { setup } from './globalSetup.cts';

export type TestEnvironment = Awaited<ReturnType<typeof startTestEnvironment>>;

/**
 * Starts a service and a real n8n for one test file, with the packed package and the credential.
 * Workflows can read and write files below `n8n.files`.
 * @param options.ca PEM of another certificate authority that n8n trusts
 * @param options.settings those of service/README.md
 */
export async function startTestEnvironment({
	ca,
	env,
	settings,
}: { ca?: string; env?: Record<string, string>; settings?: Record<string, string> } = {}) {
	const { tarball, userFolder } = setup.read();
	const folder = await createRunFolder('e2e-file');
	await cp(join(userFolder, '.n8n'), join(folder, '.n8n'), { recursive: true });
	const service = await startTestService(settings);
	const caPath = join(folder, 'authorities.pem');
	await writeFile(caPath, [service.ca, ca].join('\n'));
	// A busy machine must not make n8n believe that its database is gone.
	const patient = { DB_PING_TIMEOUT_MS: '60000', ...env };
	const n8n = await prepareN8n({ env: patient, folder, tarball, caPath });
	const stop = async () => {
		await n8n.stop();
		await service.stop();
		await rm(folder, { recursive: true, force: true });
	};
	try {
		const server = await n8n.start();
		const name = 'Service';
		const data = { ...service.credentials };
		const id = await server.createCredential({ name, type: CREDENTIAL_TYPE, data });
		/** The credential for the service, in the format of a node. */
		const credentials = { [CREDENTIAL_TYPE]: { id, name } };
		return {
			service,
			n8n,
			server,
			credentials,
			stop,
			/** One of our nodes, with the credential. */
			node: (
				nodeName: string,
				parameters: INodeParameters,
				more: Partial<NodeOptions> = {},
			): NodeOptions => ({ name: nodeName, type: NODE_TYPE, credentials, ...more, parameters }),
			/** Runs nodes one after the other, after a manual trigger. */
			async runWorkflow(nodes: NodeOptions[], options?: Parameters<typeof buildWorkflow>[1]) {
				const workflow = buildWorkflow([START, ...nodes], options);
				return await server.runWorkflow(await server.createWorkflow(workflow), START.name);
			},
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

/** The date this many days from today. */
export const day = (offset: number) =>
	new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

/** Reads files that n8n can access into the binary field `data`. */
export const readFiles = (name: string, fileSelector: string): NodeOptions => ({
	name,
	type: 'n8n-nodes-base.readWriteFile',
	parameters: { operation: 'read', fileSelector, options: {} },
});

/** Runs JavaScript once for all items. The output is what it returns. */
export const code = (name: string, jsCode: string): NodeOptions => ({
	name,
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: { jsCode },
});

/** Poll times for a trigger. n8n polls at most once a minute for each, so there are as many as needed. */
export const pollEvery = (seconds: number, offset = 0) => ({
	item: Array.from({ length: 60 / seconds }, (_, number) => ({
		mode: 'custom',
		cronExpression: `${number * seconds + (offset % seconds)} * * * * *`,
	})),
});

/** Waits for what polls lead to. */
export const until = async (what: string, isTrue: () => boolean | Promise<boolean>) =>
	await waitFor(isTrue, 240_000, `It did not come to this in time: ${what}`);
