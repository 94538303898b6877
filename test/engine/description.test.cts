import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { singleNode } from '../support/definition.cts';
import { getFieldsOf } from '../support/fieldsOf.cts';
import { loadPackage, repositoryRoot } from '../support/package.cts';
import { list, tables, type Field, type OperationTable } from './support/publicInterface.cts';

let description: INodeTypeDescription;
let nodeType: INodeType;

beforeAll(async () => {
	const { loader } = await loadPackage();
	nodeType = loader.getNode('encryptedContainers').type as INodeType;
	description = nodeType.description;
}, 60_000);

const properties = () => description.properties;
/** Without what n8n adds, and what only tools of agents have. */
const shownFor = (table: OperationTable) =>
	getFieldsOf(table, properties()).filter(
		({ type, name, displayOptions }) =>
			type !== 'notice' &&
			name !== 'requestOptions' &&
			!displayOptions?.show?.['@tool']?.includes(true) &&
			// The field again, where it is not required.
			!displayOptions?.show?.['/options.allowNoRecipients'],
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

describe('the public interface, as support/publicInterface.cts lists it,', () => {
	it('has exactly these resources and operations', () => {
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

	it('loads the countries of its pickers, and has days without a time', () => {
		for (const name of ['geoAllow', 'geoBlock']) {
			for (const picker of everyProperty().filter((property) => property.name === name)) {
				expect(picker).toMatchObject({
					type: 'multiOptions',
					typeOptions: { loadOptionsMethod: 'getCountries' },
				});
			}
		}
		expect(nodeType.methods?.loadOptions?.getCountries).toEqual(expect.any(Function));
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

/** What the canvas shows below the name of a node, evaluated as n8n does. */
async function subtitleOf(node: string, parameters: INodeParameters): Promise<unknown> {
	const { node: created, workflow, loaded } = await singleNode({ node, parameters });
	const { description } = loaded.nodeTypes.getByNameAndVersion(created.type);
	const subtitle = description.subtitle ?? '';
	return workflow.expression.getSimpleParameterValue(created, subtitle, 'internal', {});
}

it.each([
	['container', 'encode', 'Encrypt Files: Container'],
	['contact', 'upsert', 'Create or Update: Contact'],
])('the canvas shows %s %s as %j', async (resource, operation, words) => {
	expect(await subtitleOf('encryptedContainers', { resource, operation })).toBe(words);
});

const recipients = 'anna@example.com';

/** Returns the hints that the editor shows for these parameters, as it decides that: only on the boolean true. */
async function getHints(parameters: INodeParameters): Promise<string[]> {
	const { node, workflow, loaded } = await singleNode({ node: 'encryptedContainers', parameters });
	const { hints = [] } = loaded.nodeTypes.getByNameAndVersion(node.type).description;
	const input = [{ json: {} }];
	const shown = hints.filter(({ displayCondition = '', whenToDisplay }) => {
		const value: unknown = workflow.expression.getParameterValue(
			displayCondition,
			...([null, 0, 0, node.name, input, 'manual', {}] as const),
		);
		expect(typeof value).toBe('boolean');
		return value === true && whenToDisplay === 'beforeExecution';
	});
	return shown.map(({ message }) => message);
}

const encoding = { resource: 'container', operation: 'encode' };

const withManifest = (container: unknown) => ({
	...encoding,
	specifyManifest: 'json',
	manifestJson: JSON.stringify({ container }),
});
const sealed =
	"The rules will be sealed into the container permanently. Access can't be revoked then.";

it.each<[string, INodeParameters, string[]]>([
	['a manifest that seals the rules', withManifest({ recipients: [recipients] }), [sealed]],
	[
		'a change that seals the rules',
		{ resource: 'drm', operation: 'update', containerId: 'c-1', rules: { dynamic: false } },
		[sealed],
	],
	['a complete manifest', withManifest({ drm: { dynamic: true } }), []],
	['an expression', { ...withManifest({}), manifestJson: '={{ $json.manifest }}' }, []],
	['fields, which have notices', { ...encoding, dynamic: false }, []],
])('the hints before the run with %s', async (_what, parameters, expected) => {
	expect(await getHints(parameters)).toEqual(expected);
});
