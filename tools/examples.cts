import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INode } from 'n8n-workflow';
import { projectRoot } from './paths.cts';
import {
	CREDENTIAL_TYPE,
	NODE_TYPE,
	TRIGGER_TYPE,
	type WorkflowJson,
} from './realN8n/workflow.cts';

export const examplesFolder = join(projectRoot, 'examples');

/** The credential that each type of node in the examples wants: the files themselves name none. */
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

/** Every type of credential that some example wants. */
export const exampleCredentialTypes = [...new Set(Object.values(CREDENTIAL_TYPES))];

/** Credentials that are stored in n8n, by their types. */
export type StoredCredentials = NonNullable<INode['credentials']>;

/** Reads all example workflows, by the names of their files without the ending. */
export async function readExamples(): Promise<Map<string, WorkflowJson>> {
	const files = (await readdir(examplesFolder)).filter((file) => file.endsWith('.json')).sort();
	const read = files.map(async (file) => {
		const text = await readFile(join(examplesFolder, file), 'utf8');
		return [file.slice(0, -'.json'.length), JSON.parse(text) as WorkflowJson] as const;
	});
	return new Map(await Promise.all(read));
}

/** The workflow with a credential chosen in each node for whose type there is one. */
export function withCredentials(workflow: WorkflowJson, stored: StoredCredentials): WorkflowJson {
	const nodes = workflow.nodes.map((node) => {
		const type = CREDENTIAL_TYPES[node.type];
		const chosen = type === undefined ? undefined : stored[type];
		return chosen === undefined ? node : { ...node, credentials: { [type]: chosen } };
	});
	return { ...workflow, nodes };
}
