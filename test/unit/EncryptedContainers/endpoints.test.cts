import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodePropertyOptions } from 'n8n-workflow';
import { parse } from 'yaml';
import { EncryptedContainers } from '../../../nodes/EncryptedContainers/EncryptedContainers.node';

const contract = parse(readFileSync(join(__dirname, '../../../docs/openapi.yaml'), 'utf8')) as {
	paths: Record<string, Record<string, { operationId?: string }>>;
};

/** Method and path of each operation in the contract, by its ID. Parameters have names of their own there. */
const endpoints = new Map(
	Object.entries(contract.paths).flatMap(([path, operations]) =>
		Object.entries(operations).map(([method, { operationId }]) => [
			operationId,
			`${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`,
		]),
	),
);

const { properties } = new EncryptedContainers().description;

it.each([
	['container', 'encode', 'encodeFiles', ['userId']],
	['container', 'get', 'getContainer', ['containerId']],
	['container', 'getEnvelope', 'getContainerEnvelope', ['userId', 'containerId']],
	['container', 'getAll', 'listContainers', ['userId']],
	['container', 'delete', 'deleteContainer', ['containerId']],
	['drm', 'get', 'getDrmRules', ['containerId']],
	['drm', 'update', 'updateDrmRules', ['containerId']],
	['drm', 'revoke', 'updateDrmRules', ['containerId']],
	['contact', 'get', 'getContact', ['userId', 'contactEmail']],
	['contact', 'getAll', 'listContacts', ['userId']],
	['contact', 'upsert', 'upsertContact', ['userId', 'email']],
	['contact', 'sync', 'upsertContact', ['userId', 'email']],
	['contact', 'delete', 'deleteContact', ['userId', 'contactEmail']],
	['user', 'getMe', 'getMe', []],
])('%s > %s declares the endpoint of %s', (resource, operation, operationId, fields) => {
	const selector = properties.find(
		({ name, displayOptions }) =>
			name === 'operation' && displayOptions?.show?.resource?.includes(resource),
	);
	const options = selector?.options as INodePropertyOptions[];
	const { method, url = '' } =
		options.find(({ value }) => value === operation)?.routing?.request ?? {};

	expect(`${method} ${url.replace(/\{\w+\}/g, '{}')}`).toBe(endpoints.get(operationId));
	expect([...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(fields);
});
