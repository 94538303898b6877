import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INode } from 'n8n-workflow';
import { projectRoot } from '../paths.cts';
import type { N8nServer } from '../realN8n/server.cts';
import {
	CREDENTIAL_TYPE,
	NODE_TYPE,
	TRIGGER_TYPE,
	type WorkflowJson,
} from '../realN8n/workflow.cts';

/** The credentials that the examples' nodes want: without one, the canvas shows a warning on the node. */
const CREDENTIAL_TYPES: Record<string, string> = {
	[NODE_TYPE]: CREDENTIAL_TYPE,
	[`${NODE_TYPE}Tool`]: CREDENTIAL_TYPE,
	[TRIGGER_TYPE]: CREDENTIAL_TYPE,
	'n8n-nodes-base.emailReadImap': 'imap',
	'n8n-nodes-base.emailSend': 'smtp',
	'n8n-nodes-base.httpRequest': 'httpHeaderAuth',
	'n8n-nodes-base.nextCloud': 'nextCloudApi',
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 'openAiApi',
};

/** The names of all example workflows: those of their files, without the ending. */
export async function exampleNames(): Promise<string[]> {
	const files = await readdir(join(projectRoot, 'examples'));
	return files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -5));
}

/**
 * Stores an example workflow in n8n with a credential in each node that needs one.
 * @returns the workflow, with the id that n8n gave it
 */
export async function storeExample(
	server: N8nServer,
	name: string,
	credentials: NonNullable<INode['credentials']>,
): Promise<WorkflowJson> {
	const text = await readFile(join(projectRoot, 'examples', `${name}.json`), 'utf8');
	const workflow = JSON.parse(text) as WorkflowJson;
	for (const node of workflow.nodes) {
		const type = CREDENTIAL_TYPES[node.type];
		if (type === undefined) continue;
		if (credentials[type] === undefined) {
			const id = await server.createCredential({ name: 'Account', type, data: {} });
			credentials[type] = { id, name: 'Account' };
		}
		node.credentials = { [type]: credentials[type] };
	}
	return { ...workflow, id: await server.createWorkflow(workflow) };
}
