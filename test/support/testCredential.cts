import '../../tools/engine/environment.cts';
import { ExecuteContext, RoutingNode } from 'n8n-core';
import {
	createEmptyRunExecutionData,
	NodeConnectionTypes,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentialTestRequest,
	type INode,
	type INodeType,
	type NodeApiError,
} from 'n8n-workflow';
import { additionalDataFor } from '../../tools/engine/host.cts';
import { credentialName, type ApiCredentials } from '../../tools/engine/credentials.cts';
import { credentialReference, credentialsFor } from './definition.cts';
import { loadPackage } from './package.cts';

export interface CredentialTestResult {
	status: 'OK' | 'Error';
	message: string;
}

interface ErrorResponse {
	status: number;
	statusText?: string;
}

/** The request of the test as a node, because n8n sends it this way. */
function nodeTypeFor(test: ICredentialTestRequest): INodeType {
	return {
		description: {
			displayName: 'No Operation, do nothing',
			name: 'n8n-nodes-base.noOp',
			group: ['organization'],
			version: 1,
			description: '',
			defaults: { name: 'No Operation' },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			credentials: [{ name: credentialName, required: true }],
			properties: [
				{
					displayName: 'Temp',
					name: 'temp',
					type: 'string',
					default: '',
					routing: { request: test.request },
				},
			],
		},
	};
}

async function send(
	nodeType: INodeType,
	helper: ReturnType<typeof credentialsFor>,
	data: ICredentialDataDecryptedObject,
) {
	const node: INode = {
		id: 'temp',
		name: 'Temp-Node',
		type: nodeType.description.name,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		credentials: credentialReference,
	};
	const definition = { id: 'credential-test', nodes: [node], connections: {} };
	const nodeTypes = {
		getByName: () => nodeType,
		getByNameAndVersion: () => nodeType,
		getKnownTypes: () => ({}),
	};
	const workflow = new Workflow({ ...definition, active: false, nodeTypes });
	const mode = 'internal';
	const context = new ExecuteContext(
		workflow,
		node,
		additionalDataFor({
			credentialsHelper: helper,
			executionId: 'credential-test',
			mode,
			workflow: definition,
			currentNodeParameters: node.parameters,
		}),
		mode,
		createEmptyRunExecutionData(),
		0,
		[],
		{ main: [[{ json: {} }]] },
		{ node, data: {}, source: null },
		[],
	);
	const decrypted = { id: 'credential-1', name: 'Test', type: credentialName, data };
	return await new RoutingNode(context, nodeType, decrypted).runNode();
}

function messageFor(error: NodeApiError, test: ICredentialTestRequest): string {
	const cause = error.cause as { response?: ErrorResponse; code?: string } | undefined;
	if (cause?.response === undefined) return cause?.code ?? error.message;
	const { status, statusText } = cause.response;
	for (const rule of test.rules ?? []) {
		if (rule.type === 'responseCode' && rule.properties.value === status) {
			return rule.properties.message;
		}
	}
	if (status >= 199 && status <= 299) return error.message;
	return statusText || `Received HTTP status code: ${status}`;
}

function valueAt(json: unknown, path: string): unknown {
	return path
		.split('.')
		.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], json);
}

/**
 * Sends the credential's `test` request and applies its rules as n8n does when the user saves a
 * credential. Returns what the editor shows.
 */
export async function testCredential(
	credentials: ApiCredentials & { packageDirectory?: string },
): Promise<CredentialTestResult> {
	const { packageDirectory, ...values } = credentials;
	const loaded = await loadPackage(packageDirectory);
	const { test } = loaded.loader.getCredential(credentialName).type;
	if (test === undefined) throw new Error('The credential has no test');
	const helper = credentialsFor(loaded, values);
	let outputs;
	try {
		outputs = await send(nodeTypeFor(test), helper, helper.withDefaults(credentialName));
	} catch (error) {
		return { status: 'Error', message: messageFor(error as NodeApiError, test) };
	}
	for (const rule of test.rules ?? []) {
		if (rule.type !== 'responseSuccessBody') continue;
		const json = outputs?.[0]?.[0]?.json;
		if (valueAt(json, rule.properties.key) === rule.properties.value) {
			return { status: 'Error', message: rule.properties.message };
		}
	}
	return { status: 'OK', message: 'Connection successful!' };
}
