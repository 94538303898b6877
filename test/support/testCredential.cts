import { RoutingNode } from 'n8n-core';
import type { ICredentialTestRequest, NodeApiError } from 'n8n-workflow';
import { credentialName, type ApiCredentials } from './credentials.cts';
import { describeNode } from './package.cts';
import { contextOf, singleNode } from './definition.cts';

interface ErrorResponse {
	status: number;
	statusText?: string;
}

function messageFor(error: NodeApiError, { rules = [] }: ICredentialTestRequest): string {
	const cause = error.cause as { response?: ErrorResponse; code?: string } | undefined;
	if (cause?.response === undefined) return cause?.code ?? error.message;
	const { status, statusText } = cause.response;
	for (const rule of rules) {
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
 * credential: as a node with one field. Returns what the editor shows.
 */
export async function testCredential(
	credentials: ApiCredentials,
): Promise<{ status: 'OK' | 'Error'; message: string }> {
	const single = await singleNode({ node: 'test.start', parameters: {}, credentials });
	const { test } = single.loaded.loader.getCredential(credentialName).type;
	if (test === undefined) throw new Error('The credential has no test');
	const field = { displayName: 'Temp', name: 'temp', type: 'string', default: '' } as const;
	const description = describeNode('noOp', {
		credentials: [{ name: credentialName, required: true }],
		properties: [{ ...field, routing: { request: test.request } }],
	});
	single.node.parameters = { temp: '' };
	const data = single.credentialsHelper.withDefaults(credentialName);
	const decrypted = { id: 'credential-1', name: 'Test', type: credentialName, data };
	let outputs;
	try {
		outputs = await new RoutingNode(contextOf(single), { description }, decrypted).runNode();
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
