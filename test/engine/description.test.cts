import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { countryOptions } from '../../nodes/EncryptedContainers/descriptions/countries';
import { getFieldsOf } from '../support/fieldsOf.cts';
import { loadPackage, repositoryRoot } from '../support/package.cts';

let description: INodeTypeDescription;
let nodeType: INodeType;

beforeAll(async () => {
	const { loader } = await loadPackage();
	nodeType = loader.getNode('encryptedContainers').type as INodeType;
	description = nodeType.description;
}, 60_000);

/** Name, default and, for options, the values that a saved workflow can contain. */
type Field = [name: string, preset: unknown, values?: string[]];

interface OperationTable {
	resource: string;
	operation: string;
	fields: Field[];
	/** Fields of each collection, by its name. */
	inside: Record<string, Field[]>;
}

const list = { mode: 'list', value: '' };
const any = expect.anything();
const containerId: Field = ['containerId', list];
const requests: Field[] = [
	['maxConcurrent', 5],
	['maxRetries', 5],
];
const limits: Field[] = [...requests, ['responseTimeout', 60]];
const recipientLimits: Field[] = [
	['allowedRecipients', ''],
	['allowWildcards', false],
];
const selection = (preset: string, choices: string[]): Field[] => [
	['containers', preset, choices],
	containerId,
	['nameContains', ''],
];
const user: Field = ['userId', ''];
const contactEmail: Field = ['contactEmail', list];
const paging: Field[] = [
	['returnAll', false],
	['limit', 50],
];
const accessRules: Field[] = [
	['geoAllow', []],
	['geoBlock', []],
	['ipAllow', ''],
	['ipBlock', ''],
	['opens', any],
	['timeStart', ''],
];

/** The public interface of the node: saved workflows contain these names and defaults. */
const tables: OperationTable[] = [
	{
		resource: 'container',
		operation: 'encode',
		fields: [
			['fileSource', 'named', ['named', 'all', 'text']],
			['binaryPropertyName', 'data'],
			['textContent', ''],
			['textFileName', any],
			['name', ''],
			['recipients', ''],
			['accessEnds', 'never', ['never', 'onDate', 'afterDays']],
			['timeEnd', ''],
			['accessDays', any],
			['dynamic', true],
			['downloadable', false],
			['drmRules', {}],
			['containerMode', 'perItem', ['perItem', 'allItems']],
			['specifyManifest', 'fields', ['fields', 'json']],
			['manifestJson', any],
			['options', {}],
		],
		inside: {
			drmRules: [...accessRules, ['password', '']],
			options: [
				user,
				['ifExists', 'create', ['create', 'reuse', 'fail']],
				['includeFileDigests', false],
				['allowNoRecipients', false],
				...recipientLimits,
				['manifestPartName', 'manifest.json'],
				['filePartName', 'file'],
				...requests,
				['responseTimeout', 300],
			],
		},
	},
	...['get', 'delete'].map((operation) => ({
		resource: 'container',
		operation,
		fields: [containerId, ['options', {}]] as Field[],
		inside: { options: limits },
	})),
	{
		resource: 'container',
		operation: 'getEnvelope',
		fields: [containerId, ['options', {}]],
		inside: { options: [user, ...limits] },
	},
	...['container', 'contact'].map((resource) => ({
		resource,
		operation: 'getAll',
		fields: [...paging, ['options', {}]] as Field[],
		inside: {
			options: [
				user,
				['query', {}],
				...(resource === 'container'
					? [
							['includeRules', false],
							['nameContains', ''],
							['createdBefore', ''],
							['createdAfter', ''],
						]
					: []),
				...limits,
			] as Field[],
		},
	})),
	...['get', 'revoke'].map((operation) => ({
		resource: 'drm',
		operation,
		fields: [containerId, ['options', {}]] as Field[],
		inside: { options: limits },
	})),
	{
		resource: 'drm',
		operation: 'update',
		fields: [
			containerId,
			['specifyRules', 'fields', ['fields', 'json']],
			['rules', {}],
			['rulesJson', any],
			['options', {}],
		],
		inside: {
			rules: [
				...accessRules,
				['dynamic', true],
				['timeEnd', ''],
				['accessDays', 30],
				['extendByDays', 7],
				['downloadable', any],
				['recipients', ''],
				['addRecipients', ''],
				['removeRecipients', ''],
			],
			options: [...recipientLimits, ['keepOtherRules', true], ...limits],
		},
	},
	{
		resource: 'drm',
		operation: 'removeEverywhere',
		fields: [
			['email', ''],
			['ifNobodyIsLeft', 'revoke', ['revoke', 'skip']],
			['ifWildcardCovers', 'report', ['report', 'removeWildcard']],
			['options', {}],
		],
		inside: { options: [user, ['nameContains', ''], ['dryRun', false], ...limits] },
	},
	{
		resource: 'drm',
		operation: 'syncRecipients',
		fields: [
			...selection('one', ['one', 'byName']),
			['email', ''],
			['keepAddresses', ''],
			['options', {}],
		],
		inside: {
			options: [...recipientLimits, user, ['maxRemovals', 10], ['dryRun', false], ...limits],
		},
	},
	{
		resource: 'drm',
		operation: 'check',
		fields: [
			...selection('all', ['all', 'one', 'byName']),
			['policy', 'credential', ['credential', 'fields']],
			['policyFields', {}],
			['onViolation', 'report', ['report', 'fix', 'revoke']],
			['options', {}],
		],
		inside: {
			policyFields: [
				['allowedRecipients', ''],
				['maxAccessDays', 90],
				['forbidDownload', true],
				['requireEnd', true],
			],
			options: [user, ['dryRun', false], ...limits],
		},
	},
	...['get', 'delete'].map((operation) => ({
		resource: 'contact',
		operation,
		fields: [contactEmail, ['options', {}]] as Field[],
		inside: { options: [user, ...limits] },
	})),
	{
		resource: 'contact',
		operation: 'upsert',
		fields: [
			['email', ''],
			['dataToSend', 'defineBelow', ['autoMapInputData', 'defineBelow', 'json']],
			['inputsToIgnore', ''],
			['fieldsUi', {}],
			['bodyJson', any],
			['options', {}],
		],
		inside: { options: [user, ['skipUnchanged', false], ...limits] },
	},
	{
		resource: 'contact',
		operation: 'sync',
		fields: [
			['email', ''],
			['dataToSend', 'autoMapInputData', ['autoMapInputData', 'defineBelow', 'json']],
			['inputsToIgnore', ''],
			['fieldsUi', {}],
			['bodyJson', any],
			['deleteMissing', false],
			['options', {}],
		],
		inside: { options: [user, ['maxDeletions', 10], ['dryRun', false], ...limits] },
	},
	{
		resource: 'user',
		operation: 'getMe',
		fields: [['options', {}]],
		inside: { options: limits },
	},
];

const properties = () => description.properties;
/** Without what n8n adds, and what only tools of agents have. */
const shownFor = (table: OperationTable) =>
	getFieldsOf(table, properties()).filter(
		({ type, name, displayOptions }) =>
			type !== 'notice' &&
			name !== 'requestOptions' &&
			!displayOptions?.show?.['@tool']?.includes(true),
	);
const operationsOf = (resource: string) =>
	properties().find(
		({ name, displayOptions }) =>
			name === 'operation' && displayOptions?.show?.resource?.includes(resource),
	) as INodeProperties;
const toField = ({ name, default: preset, type, options }: INodeProperties): Field =>
	type === 'options'
		? [name, preset, (options as INodePropertyOptions[]).map(({ value }) => String(value))]
		: [name, preset];
const byName = (fields: Field[]) =>
	[...fields]
		.sort(([a], [b]) => a.localeCompare(b))
		.map(([name, preset, values]) => [name, preset, ...(values ? [[...values].sort()] : [])]);

/** All properties, including those in collections. */
function everyProperty(all: INodeProperties[] = properties()): INodeProperties[] {
	return all.flatMap((property) => {
		const inner = (property.options ?? []).flatMap((option) => {
			if ('values' in option) return everyProperty((option as INodePropertyCollection).values);
			return 'type' in option ? everyProperty([option as INodeProperties]) : [];
		});
		return [property, ...inner];
	});
}

const everyOption = () =>
	everyProperty().flatMap(({ type, options }) =>
		type === 'options' ? (options as INodePropertyOptions[]) : [],
	);

describe('the public interface', () => {
	it('has exactly the four resources and their seventeen operations', () => {
		const resource = properties().find(({ name }) => name === 'resource');
		const resources = (resource?.options as INodePropertyOptions[]).map(({ value }) => value);
		expect([...resources].sort()).toEqual(['contact', 'container', 'drm', 'user']);
		const operations = resources.flatMap((value) =>
			(operationsOf(String(value)).options as INodePropertyOptions[]).map(
				(option) => `${value}.${String(option.value)}`,
			),
		);
		expect(operations.sort()).toEqual(
			tables.map(({ resource: name, operation }) => `${name}.${operation}`).sort(),
		);
		expect(operations).toHaveLength(17);
	});

	it.each(tables)('of $resource: $operation has its fields, defaults and options', (table) => {
		const shown = shownFor(table);
		expect(byName(shown.map(toField))).toEqual(byName(table.fields));
	});

	it.each(tables)('of $resource: $operation has its fields in collections', (table) => {
		for (const [name, fields] of Object.entries(table.inside)) {
			const collection = shownFor(table).find((property) => property.name === name);
			expect(collection?.type).toBe('collection');
			const members = getFieldsOf(table, collection?.options as INodeProperties[], '/');
			expect(byName(members.map(toField))).toEqual(byName(fields));
		}
	});

	it('has a name and value in each row of the contact fields and of the query', () => {
		for (const [name, rows] of [
			['fieldsUi', 'fields'],
			['query', 'parameters'],
		]) {
			const found = everyProperty().filter((property) => property.name === name);
			expect(found.length).toBeGreaterThan(0);
			for (const property of found) {
				expect(property).toMatchObject({
					type: 'fixedCollection',
					typeOptions: { multipleValues: true },
				});
				const [row] = property.options as INodePropertyCollection[];
				expect(row.name).toBe(rows);
				expect(row.values.map((value) => value.name)).toEqual(['name', 'value']);
			}
		}
	});

	it.each([
		['containerId', 'id', 'searchContainers'],
		['contactEmail', 'email', 'searchContacts'],
	])('has %s as a locator with a searchable list, and by %s', (name, mode, method) => {
		const locators = everyProperty().filter((property) => property.name === name);
		expect(locators.length).toBeGreaterThan(0);
		for (const locator of locators) {
			expect(locator).toMatchObject({ type: 'resourceLocator', required: true, default: list });
			expect(locator.modes?.map((entry) => entry.name)).toEqual(['list', mode]);
			expect(locator.modes?.[0].typeOptions).toMatchObject({
				searchListMethod: method,
				searchable: true,
			});
		}
		expect(nodeType.methods?.listSearch?.[method]).toEqual(expect.any(Function));
	});

	it('has all countries in its pickers, and days without a time', () => {
		for (const name of ['geoAllow', 'geoBlock']) {
			for (const picker of everyProperty().filter((property) => property.name === name)) {
				expect(picker).toMatchObject({ type: 'multiOptions', options: countryOptions });
			}
		}
		for (const name of ['timeStart', 'timeEnd']) {
			for (const picker of everyProperty().filter((property) => property.name === name)) {
				expect(picker.type).toBe('dateTime');
			}
		}
	});

	it('hides what is typed as a password', () => {
		const passwords = everyProperty().filter(({ name }) => name === 'password');
		expect(passwords).toHaveLength(1);
		expect(passwords[0].typeOptions).toMatchObject({ password: true });
	});
});

describe('the node', () => {
	it('has the names that saved workflows contain', () => {
		expect(description).toMatchObject({
			displayName: 'Encrypted Containers',
			name: 'encryptedContainers',
			credentials: [{ name: 'encryptedContainersApi', required: true }],
			usableAsTool: true,
			inputs: ['main'],
			outputs: ['main'],
		});
	});

	it.each([
		'EncryptedContainers/EncryptedContainers',
		'EncryptedContainersTrigger/EncryptedContainersTrigger',
	])('is found by common search terms: %s', (file) => {
		const codex = JSON.parse(
			readFileSync(join(repositoryRoot, `dist/nodes/${file}.node.json`), 'utf8'),
		) as { node: string; alias: string[]; categories: string[] };
		expect(codex.node).toMatch(/^n8n-nodes-encrypted-containers/);
		expect(codex.categories.length).toBeGreaterThan(0);
		const words = codex.alias.join(' ').toLowerCase();
		const terms = ['encrypt', 'drm', 'secure file sharing', 'share file', 'data room'];
		for (const term of [...terms, 'expiring access', 'revoke access']) {
			expect(words).toContain(term);
		}
	});
});

describe('the texts', () => {
	it('give each operation an action and a description', () => {
		for (const resource of ['contact', 'container', 'drm', 'user']) {
			for (const option of operationsOf(resource).options as INodePropertyOptions[]) {
				expect(option.action).toMatch(/^[A-Z][a-z].*[^.]$/);
				expect(option.description).toMatch(/^[A-Z].*\w/);
				expect(option.action?.length).toBeLessThan(60);
			}
		}
	});

	it.each([
		['container', 'delete', /can't be undone/],
		['contact', 'delete', /can't be undone/],
		['drm', 'revoke', /access/],
	])('say what cannot be undone: %s %s', (resource, operation, words) => {
		const option = (operationsOf(resource).options as INodePropertyOptions[]).find(
			({ value }) => value === operation,
		);
		expect(option?.description).toMatch(words);
	});

	it('begin with "Whether" for every boolean', () => {
		for (const property of everyProperty().filter(({ type }) => type === 'boolean')) {
			expect(`${property.name}: ${property.description}`).toMatch(/: Whether /);
		}
	});

	it('give placeholders as examples, or as the label of a button', () => {
		for (const { name, type, placeholder, modes } of everyProperty()) {
			if (placeholder !== undefined) {
				expect(`${name}: ${placeholder}`).toMatch(
					['collection', 'fixedCollection'].includes(type) ? /: Add / : /: e\.g\. /,
				);
			}
			for (const mode of modes ?? []) {
				expect(`${name}: ${mode.placeholder}`).toMatch(
					mode.type === 'list' ? /: Choose a .*…$/ : /: e\.g\. /,
				);
			}
		}
	});

	it('describe each field that a person fills in', () => {
		for (const { name, type, description: words } of everyProperty()) {
			if (['notice', 'collection', 'fixedCollection'].includes(type)) continue;
			if (['resource', 'operation', 'name', 'value'].includes(name)) continue;
			expect(`${name}: ${words}`).toMatch(/: [A-Z]/);
		}
	});

	it('use title case for names, and have no emoji, no space at an end and no double space', () => {
		const texts = [
			...everyProperty().flatMap(({ displayName, description: words, hint, placeholder }) => [
				displayName,
				words,
				hint,
				placeholder,
			]),
			...everyOption().flatMap(({ name, description: words, action }) => [name, words, action]),
		].filter((text): text is string => typeof text === 'string');
		expect(texts.length).toBeGreaterThan(100);
		for (const text of texts) {
			expect(text).not.toMatch(/\p{Extended_Pictographic}/u);
			expect(text).toBe(text.trim());
			expect(text).not.toMatch(/ {2}\S/);
		}
		for (const { type, displayName } of everyProperty()) {
			if (type !== 'notice') expect(displayName).toMatch(/^[A-Z]/);
		}
	});

	it('sort the fields of each collection by name, as n8n does', () => {
		for (const { type, name, options } of everyProperty()) {
			if (type !== 'collection') continue;
			const names = (options as INodeProperties[]).map(({ displayName }) => displayName);
			expect([name, ...names]).toEqual([
				name,
				...[...names].sort((a, b) => a.localeCompare(b, 'en')),
			]);
		}
	});
});
