import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
	ILoadOptionsFunctions,
	INode,
	INodeParameters,
	INodePropertyOptions,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { parse } from 'yaml';
import { getCountries } from '../../../nodes/EncryptedContainers/descriptions/countries';
import { EncryptedContainers } from '../../../nodes/EncryptedContainers/EncryptedContainers.node';
import { projectRoot } from '../../../tools/project.cts';

const { description } = new EncryptedContainers();

/** The fields on the form of an operation, as the editor shows them. */
function fieldsFor(parameters: INodeParameters, name = 'encryptedContainers') {
	const node = { type: name, typeVersion: 1, parameters } as unknown as INode;
	return description.properties.filter((field) =>
		NodeHelpers.displayParameter(parameters, field, node, { ...description, name }),
	);
}

const contract = parse(readFileSync(join(projectRoot, 'docs/openapi.yaml'), 'utf8')) as {
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
	const [selector] = fieldsFor({ resource }).filter(({ name }) => name === 'operation');
	const options = selector.options as INodePropertyOptions[];
	const { method, url = '' } =
		options.find(({ value }) => value === operation)?.routing?.request ?? {};

	expect(`${method} ${url.replace(/\{\w+\}/g, '{}')}`).toBe(endpoints.get(operationId));
	expect([...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(fields);
});

it.each([
	['container', 'delete', 'approvalNotice'],
	['contact', 'delete', 'approvalNotice'],
	['drm', 'revoke', 'approvalNotice'],
	['drm', 'update', undefined],
	['drm', 'syncRecipients', 'dryRunNotice'],
	['drm', 'removeEverywhere', 'dryRunNotice'],
	['drm', 'check', 'dryRunNotice'],
	['contact', 'sync', 'dryRunNotice'],
])('%s > %s says what to set where it is a tool: %s', (resource, operation, notice) => {
	const listNotices = (name: string) =>
		fieldsFor({ resource, operation }, name)
			.map((field) => field.name)
			.filter((field) => ['approvalNotice', 'dryRunNotice'].includes(field));

	expect(listNotices('encryptedContainersTool')).toEqual([notice].filter(Boolean));
	expect(listNotices('encryptedContainers')).toEqual([]);
});

describe('the form of Encode', () => {
	const encode = { resource: 'container', operation: 'encode' };
	const manifest = ['name', 'recipients', 'accessEnds', 'dynamic', 'downloadable', 'drmRules'];

	it('has either the fields of the manifest or its JSON', () => {
		const [fields, json] = ['fields', 'json'].map((specifyManifest) =>
			fieldsFor({ ...encode, specifyManifest }).map(({ name }) => name),
		);

		expect(fields).toEqual(expect.arrayContaining(manifest));
		expect(fields).not.toContain('manifestJson');
		expect(json.filter((name) => manifest.includes(name))).toEqual([]);
		expect(json).toContain('manifestJson');
	});

	it.each([
		['encryptedContainers', ['all', 'named', 'text']],
		['encryptedContainersTool', ['named', 'text']],
	])('offers files of the input item where there is one: %s', (nodeName, choices) => {
		const sources = fieldsFor(encode, nodeName).filter(({ name }) => name === 'fileSource');

		expect(sources).toHaveLength(1);
		expect((sources[0].options as INodePropertyOptions[]).map(({ value }) => value)).toEqual(
			choices,
		);
	});
});

describe('the countries to pick', () => {
	const countries = getCountries.call({} as ILoadOptionsFunctions);

	it('are the 249 entries of ISO 3166-1, once each, sorted by name', async () => {
		const names = (await countries).map(({ name }) => name);
		const codes = names.map((name) => /^\S.*\S \(([A-Z]{2})\)$/.exec(name)?.[1]);
		expect(codes).toEqual((await countries).map(({ value }) => value));
		expect(new Set(codes).size).toBe(249);
		expect(new Set(names).size).toBe(249);
		expect(names).toEqual([...names].sort(new Intl.Collator('en').compare));
		for (const code of ['XK', 'EU', 'UK', 'ZZ']) expect(codes).not.toContain(code);
	});

	it('have the names that people search for', async () => {
		expect((await countries).map(({ name }) => name)).toEqual(
			expect.arrayContaining([
				...['Germany (DE)', 'Czechia / Czech Republic (CZ)', "Côte d'Ivoire / Ivory Coast (CI)"],
				...['Saint Lucia (LC)', 'Antigua and Barbuda (AG)', 'Türkiye / Turkey (TR)'],
			]),
		);
	});
});

it('each operation and the trigger have a schema of their output, where n8n looks for it', () => {
	const operations = description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options }) =>
			(options as INodePropertyOptions[]).map(
				({ value }) => `${String(displayOptions?.show?.resource?.[0])}/${String(value)}`,
			),
		);

	const files = readdirSync(join(projectRoot, 'nodes'), { recursive: true, encoding: 'utf8' })
		.map((path) => path.replaceAll('\\', '/'))
		.filter((path) => path.includes('__schema__') && path.endsWith('.json'));
	expect(files.sort()).toEqual([
		...operations.map((path) => `EncryptedContainers/__schema__/v1.0.0/${path}.json`).sort(),
		'EncryptedContainersTrigger/__schema__/v1.0.0/output.json',
	]);
});
