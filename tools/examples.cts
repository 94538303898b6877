import { copyFile, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { INode } from 'n8n-workflow';
import { projectRoot } from './project.cts';
import {
	CREDENTIAL_TYPE,
	INSTANT_TRIGGER_TYPE,
	NODE_TYPE,
	TRIGGER_TYPE,
	type WorkflowJson,
} from './realN8n/workflow.cts';

const examplesFolder = join(projectRoot, 'examples');

/** The example that reads a file from disk, and a file for it. */
export const exampleWorkflow = 'encrypt-an-invoice';
export const exampleFile = join(examplesFolder, 'files', 'invoice-2026-0042.pdf');

/** The credential type of each node type in the examples. The files contain no credentials. */
export const CREDENTIAL_TYPES: Record<string, string> = {
	[NODE_TYPE]: CREDENTIAL_TYPE,
	[`${NODE_TYPE}Tool`]: CREDENTIAL_TYPE,
	[INSTANT_TRIGGER_TYPE]: CREDENTIAL_TYPE,
	[TRIGGER_TYPE]: CREDENTIAL_TYPE,
	'n8n-nodes-base.awsS3': 'aws',
	'n8n-nodes-base.emailReadImap': 'imap',
	'n8n-nodes-base.emailSend': 'smtp',
	'n8n-nodes-base.formTrigger': 'httpBasicAuth',
	'n8n-nodes-base.gmail': 'gmailOAuth2',
	'n8n-nodes-base.gmailTrigger': 'gmailOAuth2',
	'n8n-nodes-base.googleDrive': 'googleDriveOAuth2Api',
	'n8n-nodes-base.googleDriveTrigger': 'googleDriveOAuth2Api',
	'n8n-nodes-base.googleSheets': 'googleSheetsOAuth2Api',
	'n8n-nodes-base.httpRequest': 'httpHeaderAuth',
	'n8n-nodes-base.hubspot': 'hubspotAppToken',
	'n8n-nodes-base.microsoftOutlook': 'microsoftOutlookOAuth2Api',
	'n8n-nodes-base.microsoftOutlookTrigger': 'microsoftOutlookOAuth2Api',
	'n8n-nodes-base.slack': 'slackApi',
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 'openAiApi',
};

/** Credentials in n8n, by type. */
export type StoredCredentials = NonNullable<INode['credentials']>;

/** Reads all example workflows, by file name without the extension. */
export async function readExamples(): Promise<Map<string, WorkflowJson>> {
	const files = (await readdir(examplesFolder)).filter((file) => file.endsWith('.json')).sort();
	const entries = files.map(async (file) => {
		const text = await readFile(join(examplesFolder, file), 'utf8');
		return [file.slice(0, -'.json'.length), JSON.parse(text) as WorkflowJson] as const;
	});
	return new Map(await Promise.all(entries));
}

/** Returns the workflow with a credential selected in each node that has a matching type. */
export function withCredentials(workflow: WorkflowJson, stored: StoredCredentials): WorkflowJson {
	const nodes = workflow.nodes.map((node) => {
		const type = CREDENTIAL_TYPES[node.type];
		const credential = type === undefined ? undefined : stored[type];
		return credential === undefined ? node : { ...node, credentials: { [type]: credential } };
	});
	return { ...workflow, nodes };
}

/** Copies the file of the example into a folder that the workflow can read. Returns its path. */
export async function copyExampleFile(folder: string): Promise<string> {
	const path = join(folder, basename(exampleFile));
	await copyFile(exampleFile, path);
	return path;
}
