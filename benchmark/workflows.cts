import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { writeRandomFile } from '../tools/randomFile.cts';
import {
	buildWorkflow,
	CREDENTIAL_TYPE,
	NODE_TYPE,
	START,
	type NodeOptions,
	type WorkflowJson,
} from '../tools/realN8n/workflow.cts';

/** This package's credential, in the format of a node. */
export const OWN_CREDENTIAL = { [CREDENTIAL_TYPE]: { id: 'benchOwnKey00001', name: 'Own' } };

/** n8n's Bearer Auth credential, for the HTTP Request node without this package. */
export const BEARER_CREDENTIAL = { httpBearerAuth: { id: 'benchBearer00001', name: 'Bearer' } };

/** The name of the measured node in all workflows. */
export const MEASURED_NODE = 'Measured';

/** The credential of the HTTP Request node: Bearer Auth, or this package's own. */
type HttpCredential = 'bearer' | 'own';

interface Service {
	url: string;
	user: { id: string };
}

/** This package's node with its credential. */
export const createOwnNode = (parameters: INodeParameters): NodeOptions => ({
	...{ name: MEASURED_NODE, type: NODE_TYPE, credentials: OWN_CREDENTIAL, parameters },
});

/** Returns the HTTP Request node in its latest version, with default values for other parameters. */
function createHttpRequestNode(
	credential: HttpCredential,
	parameters: INodeParameters,
): NodeOptions {
	const authentication =
		credential === 'own'
			? { authentication: 'predefinedCredentialType', nodeCredentialType: CREDENTIAL_TYPE }
			: { authentication: 'genericCredentialType', genericAuthType: 'httpBearerAuth' };
	return {
		name: MEASURED_NODE,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		credentials: credential === 'own' ? OWN_CREDENTIAL : BEARER_CREDENTIAL,
		parameters: { ...authentication, options: {}, ...parameters },
	};
}

/** This node encodes one container per item, with the same manifest as the other clients. */
export const ownEncodeNode: NodeOptions = createOwnNode({
	resource: 'container',
	operation: 'encode',
	binaryPropertyName: 'data',
	name: 'Benchmark',
	recipients: 'anna@example.com',
	downloadable: true,
});

/** The HTTP Request node sends the same parts as a form, both from binary fields. */
export function createHttpEncodeNode(
	{ url, user }: Service,
	credential: HttpCredential,
): NodeOptions {
	return createHttpRequestNode(credential, {
		method: 'POST',
		url: `${url}/users/${user.id}/containers/encode`,
		sendBody: true,
		contentType: 'multipart-form-data',
		bodyParameters: {
			parameters: [
				['manifest.json', 'manifest'],
				['file', 'data'],
			].map(([name, inputDataFieldName]) => {
				return { parameterType: 'formBinaryData', name, inputDataFieldName };
			}),
		},
	});
}

const FIELDS = ['first_name', 'last_name', 'company'];
const toFields = () => FIELDS.map((name) => ({ name, value: `={{ $json.${name} }}` }));

/** This node updates one contact per row of a CRM's export, with four expressions. */
export function createOwnUpdateNode(options: INodeParameters = {}): NodeOptions {
	return createOwnNode({
		resource: 'contact',
		operation: 'upsert',
		email: '={{ $json.email }}',
		fieldsUi: { fields: toFields() },
		options,
	});
}

/** The HTTP Request node does the same. */
export function createHttpUpdateNode({ url, user }: Service): NodeOptions {
	return createHttpRequestNode('own', {
		method: 'PATCH',
		url: `=${url}/users/${user.id}/contacts/{{ encodeURIComponent($json.email) }}`,
		sendBody: true,
		bodyParameters: { parameters: toFields() },
	});
}

/** The HTTP Request node lists the containers. */
export const createHttpListNode = ({ url, user }: Service) =>
	createHttpRequestNode('own', { url: `${url}/users/${user.id}/containers` });

/** This node makes the contacts of the service match a table. */
export function createSyncNode(more: INodeParameters = {}): NodeOptions {
	return createOwnNode({
		resource: 'contact',
		operation: 'sync',
		email: '={{ $json.email }}',
		dataToSend: 'autoMapInputData',
		...more,
	});
}

/**
 * Builds a workflow that reads files into items, and the manifest into the binary field `manifest` of
 * each item. The HTTP Request node can set the manifest's media type only if it is a file.
 * @param measured the node to measure; none in the baseline
 */
export function buildFileWorkflow(
	selector: string,
	manifest: string,
	measured?: NodeOptions,
): WorkflowJson {
	const workflow = buildWorkflow([
		{ ...START, to: [['Files', 'Manifest']] },
		{ ...createReadNode('Files', selector, 'data'), to: [['Both']] },
		{ ...createReadNode('Manifest', manifest, 'manifest'), to: [['Both']] },
		{
			name: 'Both',
			type: 'n8n-nodes-base.merge',
			typeVersion: 3.2,
			parameters: { mode: 'combine', combineBy: 'combineAll', options: {} },
			...(measured === undefined ? { to: [] } : {}),
		},
		...(measured === undefined ? [] : [measured]),
	]);
	for (const connection of workflow.connections.Manifest.main[0] ?? []) connection.index = 1;
	return workflow;
}

/** A workflow that does nothing. */
export const buildIdleWorkflow = () => buildWorkflow([START]);

/** Builds a workflow that reads each row of a CSV file into an item. */
export function buildCsvWorkflow(csv: string, measured?: NodeOptions): WorkflowJson {
	return buildWorkflow([
		START,
		createReadNode('File', csv, 'data'),
		{
			name: 'Rows',
			type: 'n8n-nodes-base.spreadsheetFile',
			typeVersion: 2,
			parameters: { operation: 'fromFile', fileFormat: 'csv', options: {} },
		},
		...(measured === undefined ? [] : [measured]),
	]);
}

function createReadNode(name: string, fileSelector: string, dataPropertyName: string): NodeOptions {
	return {
		name,
		type: 'n8n-nodes-base.readWriteFile',
		typeVersion: 1.1,
		parameters: { operation: 'read', fileSelector, options: { dataPropertyName } },
	};
}

/** Creates a folder with this number of files of the same size. */
export async function writeRandomFiles(folder: string, count: number, size: number): Promise<void> {
	await mkdir(folder, { recursive: true });
	for (let index = 0; index < count; index += 1) {
		await writeRandomFile(join(folder, `file-${String(index).padStart(4, '0')}.bin`), size);
	}
}

/** Writes the manifest that the HTTP Request node sends. */
export async function writeManifest(path: string): Promise<void> {
	const container = { name: 'Benchmark', recipients: ['anna@example.com'], downloadable: true };
	await writeFile(path, JSON.stringify({ container }));
}

/** Creates contacts such as those of a CRM. */
export function createContacts(count: number) {
	return Array.from({ length: count }, (_, index) => ({
		email: `person-${index}@example.com`,
		first_name: `First${index}`,
		last_name: `Last${index}`,
		company: `Company ${index % 97}`,
		phone_number: `+41 44 ${100_000 + index}`,
	}));
}

/** Writes contacts to a CSV file, such as an export of a CRM. */
export async function writeContacts(path: string, count: number): Promise<void> {
	const contacts = createContacts(count);
	const rows = [Object.keys(contacts[0]), ...contacts.map((contact) => Object.values(contact))];
	await writeFile(path, rows.map((row) => row.join(',')).join('\n'));
}
