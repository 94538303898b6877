import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import {
	buildWorkflow,
	CREDENTIAL_TYPE,
	NODE_TYPE,
	START,
	type NodeOptions,
	type WorkflowJson,
} from '../tools/realN8n/workflow.cts';
import { writeRandomFile } from './data.cts';

/** This package's credential, in the format of a node. */
export const OWN_CREDENTIAL = { [CREDENTIAL_TYPE]: { id: 'benchOwnKey00001', name: 'Own' } };

/** The same for a server that only reads. */
export const READING_CREDENTIAL = {
	[CREDENTIAL_TYPE]: { id: 'benchReading0001', name: 'Reading' },
};

/** n8n's Bearer Auth credential, for the HTTP Request node without this package. */
export const BEARER_CREDENTIAL = { httpBearerAuth: { id: 'benchBearer00001', name: 'Bearer' } };

/** The name of the measured node in all workflows. */
export const MEASURED_NODE = 'Measured';

interface Service {
	baseUrl: string;
	userId: string;
}

/** This package's node with its credential. */
export const createOwnNode = (parameters: INodeParameters): NodeOptions => ({
	...{ name: MEASURED_NODE, type: NODE_TYPE, credentials: OWN_CREDENTIAL, parameters },
});

/** The HTTP Request node in its latest version, with this package's credential. */
const createHttpRequestNode = (parameters: INodeParameters): NodeOptions => ({
	...{ name: MEASURED_NODE, type: 'n8n-nodes-base.httpRequest', typeVersion: 4.5 },
	credentials: OWN_CREDENTIAL,
	parameters: {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: CREDENTIAL_TYPE,
		options: {},
		...parameters,
	},
});

/** This node encodes one container per item, with the same manifest as the HTTP Request node. */
export const ownEncodeNode: NodeOptions = createOwnNode({
	resource: 'container',
	operation: 'encode',
	binaryPropertyName: 'data',
	name: 'Benchmark',
	recipients: 'anna@example.com',
	downloadable: true,
});

/** The HTTP Request node sends the same parts as a form, both from binary fields, with n8n's Bearer Auth credential. */
export const createHttpEncodeNode = ({ baseUrl, userId }: Service): NodeOptions => ({
	...createHttpRequestNode({
		authentication: 'genericCredentialType',
		genericAuthType: 'httpBearerAuth',
		method: 'POST',
		url: `${baseUrl}/users/${userId}/containers/encode`,
		sendBody: true,
		contentType: 'multipart-form-data',
		bodyParameters: {
			parameters: [
				{ parameterType: 'formBinaryData', name: 'manifest.json', inputDataFieldName: 'manifest' },
				{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' },
			],
		},
	}),
	credentials: BEARER_CREDENTIAL,
});

/** This node gets the files of a container back. */
export const createOwnDecodeNode = (containerId: string): NodeOptions =>
	createOwnNode({
		resource: 'container',
		operation: 'decode',
		containerId: { __rl: true, mode: 'id', value: containerId },
	});

/** The HTTP Request node gets its first file. */
export const createHttpDecodeNode = ({ baseUrl }: Service, containerId: string): NodeOptions =>
	createHttpRequestNode({
		...{ method: 'POST', url: `${baseUrl}/containers/${containerId}/decode` },
		...{ sendBody: true, specifyBody: 'json', jsonBody: '{ "file": 0 }' },
		options: { response: { response: { responseFormat: 'file' } } },
	});

export const buildDecodeWorkflow = (measured: NodeOptions) => buildWorkflow([START, measured]);

const FIELDS = ['first_name', 'last_name', 'company'];
const toFields = () => FIELDS.map((name) => ({ name, value: `={{ $json.${name} }}` }));

/** This node updates one contact per row of a CRM's export, with four expressions. */
export const createOwnUpdateNode = (options: INodeParameters = {}): NodeOptions =>
	createOwnNode({
		resource: 'contact',
		operation: 'upsert',
		email: '={{ $json.email }}',
		fieldsUi: { fields: toFields() },
		options,
	});

/** The HTTP Request node does the same. */
export const createHttpUpdateNode = ({ baseUrl, userId }: Service): NodeOptions =>
	createHttpRequestNode({
		method: 'PATCH',
		url: `=${baseUrl}/users/${userId}/contacts/{{ encodeURIComponent($json.email) }}`,
		sendBody: true,
		bodyParameters: { parameters: toFields() },
	});

/** The HTTP Request node lists the containers, and follows the links to the next page. */
export const createHttpListNode = ({ baseUrl, userId }: Service) =>
	createHttpRequestNode({
		url: `${baseUrl}/users/${userId}/containers`,
		options: {
			pagination: {
				pagination: {
					paginationMode: 'responseContainsNextURL',
					nextURL: '={{ /<(.+)>/.exec($response.headers.link)[1] }}',
					paginationCompleteWhen: 'other',
					completeExpression: '={{ !$response.headers.link }}',
				},
			},
		},
	});

/** The HTTP Request node reads the rules of all containers, and changes those of each. */
export function createHttpRulesNodes(service: Service, change: string): NodeOptions[] {
	const url = (id: string) => `=${service.baseUrl}/containers/{{ ${id} }}/drm`;
	return [
		{ ...createHttpListNode(service), name: `${MEASURED_NODE} list` },
		{
			...createHttpRequestNode({ url: url('$json.uuid') }),
			name: `${MEASURED_NODE} rules`,
		},
		createHttpRequestNode({
			...{ method: 'PATCH', url: url(`$('${MEASURED_NODE} list').item.json.uuid`) },
			...{ sendBody: true, specifyBody: 'json', jsonBody: `={{ JSON.stringify(${change}) }}` },
		}),
	];
}

/** This node makes the contacts of the service match a table. */
export const createSyncNode = (more: INodeParameters = {}): NodeOptions =>
	createOwnNode({
		resource: 'contact',
		operation: 'sync',
		email: '={{ $json.email }}',
		dataToSend: 'autoMapInputData',
		...more,
	});

/**
 * Creates a random file, and the manifest that the HTTP Request node sends: it can set the manifest's media type only if
 * it is a file.
 *
 * @returns both paths, and what builds a workflow that reads both into one item, before the measured node
 */
export async function prepareFile(folder: string, name: string, size: number) {
	const file = join(folder, `${name}.bin`);
	await writeRandomFile(file, size);
	const manifest = join(folder, `${name}.json`);
	const container = { name: 'Benchmark', recipients: ['anna@example.com'], downloadable: true };
	await writeFile(manifest, JSON.stringify({ container }));
	const buildUpload = (measured?: NodeOptions): WorkflowJson => {
		const workflow = buildWorkflow([
			{ ...START, to: [['File', 'Manifest']] },
			{ ...createReadNode('File', file, 'data'), to: [['Both']] },
			{ ...createReadNode('Manifest', manifest, 'manifest'), to: [['Both']] },
			{
				...{ name: 'Both', type: 'n8n-nodes-base.merge', typeVersion: 3.2 },
				parameters: { mode: 'combine', combineBy: 'combineAll', options: {} },
			},
			...(measured === undefined ? [] : [measured]),
		]);
		for (const connection of workflow.connections.Manifest.main[0] ?? []) connection.index = 1;
		return workflow;
	};
	return { path: file, manifest, size, buildUpload };
}

/** A workflow that does nothing. */
export const buildIdleWorkflow = () => buildWorkflow([START]);

/** Builds a workflow that reads each row of a CSV file into an item. */
export function buildCsvWorkflow(csv: string, measured?: NodeOptions): WorkflowJson {
	return buildWorkflow([
		START,
		createReadNode('File', csv, 'data'),
		{
			...{ name: 'Rows', type: 'n8n-nodes-base.spreadsheetFile', typeVersion: 2 },
			parameters: { operation: 'fromFile', fileFormat: 'csv', options: {} },
		},
		...(measured === undefined ? [] : [measured]),
	]);
}

const createReadNode = (
	name: string,
	fileSelector: string,
	dataPropertyName: string,
): NodeOptions => ({
	...{ name, type: 'n8n-nodes-base.readWriteFile', typeVersion: 1.1 },
	parameters: { operation: 'read', fileSelector, options: { dataPropertyName } },
});
