import type {
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { loadPackage } from '../support/package.cts';
import { list, tables, type Field, type OperationTable } from './support/publicInterface.cts';

let nodeType: INodeType;

beforeAll(async () => {
	const { loader } = await loadPackage();
	nodeType = loader.getNode('encryptedContainers').type as INodeType;
}, 60_000);

const properties = () => nodeType.description.properties;

/** The fields that n8n shows for an operation, whatever the other fields are set to. */
function getFieldsOf(table: OperationTable, fields: INodeProperties[], root: '' | '/' = '') {
	const { resource, operation } = table;
	const keys = [`${root}resource`, `${root}operation`];
	return fields.filter((field) => {
		if (['resource', 'operation'].includes(field.name)) return false;
		const show = Object.entries(field.displayOptions?.show ?? {});
		const own = { show: Object.fromEntries(show.filter(([key]) => keys.includes(key))) };
		const parameters = { resource, operation };
		const values = root === '' ? parameters : {};
		const ofOperation = { ...field, displayOptions: own };
		return NodeHelpers.displayParameter(values, ofOperation, null, null, parameters);
	});
}

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
const toField = ({ name, default: preset, type, options }: INodeProperties): Field =>
	type === 'options'
		? [name, preset, (options as INodePropertyOptions[]).map(({ value }) => String(value))]
		: [name, preset];
const byName = (fields: Field[]) =>
	[...fields]
		.sort(([one], [other]) => one.localeCompare(other))
		.map(([name, preset, values]) => [name, preset, ...(values ? [[...values].sort()] : [])]);

/** All properties, including those in collections. */
const everyProperty = (all: INodeProperties[] = properties()): INodeProperties[] =>
	all.flatMap((property) => {
		const inner = (property.options ?? []).flatMap((option) => {
			if ('values' in option) return everyProperty((option as INodePropertyCollection).values);
			return 'type' in option ? everyProperty([option as INodeProperties]) : [];
		});
		return [property, ...inner];
	});

describe('the public interface, as support/publicInterface.cts lists it,', () => {
	it('has exactly these resources and operations', () => {
		const operations = properties()
			.filter(({ name }) => name === 'operation')
			.flatMap(({ displayOptions, options }) =>
				(options as INodePropertyOptions[]).map(
					({ value }) => `${displayOptions?.show?.resource?.join()}.${String(value)}`,
				),
			);
		expect(operations.sort()).toEqual(
			tables.map(({ resource, operation }) => `${resource}.${operation}`).sort(),
		);
	});

	it.each(tables)('of $resource: $operation has its fields, defaults and options', (table) => {
		const shown = shownFor(table);
		expect(byName(shown.map(toField))).toEqual(byName(table.fields));
		for (const [name, fields] of Object.entries(table.inside)) {
			const collection = shown.find((property) => property.name === name);
			const members = getFieldsOf(table, collection?.options as INodeProperties[], '/');
			expect(byName(members.map(toField))).toEqual(byName(fields));
		}
	});

	it.each([
		['fieldsUi', 'fields'],
		['query', 'parameters'],
	])('has a name and value in each row of %s', (name, rows) => {
		for (const property of everyProperty().filter((one) => one.name === name)) {
			const [row] = property.options as INodePropertyCollection[];
			expect([row.name, ...row.values.map((value) => value.name)]).toEqual([rows, 'name', 'value']);
		}
	});

	it.each([
		['containerId', 'id', 'searchContainers'],
		['contactEmail', 'email', 'searchContacts'],
	])('has %s as a locator with a searchable list, and by %s', (name, mode, searchListMethod) => {
		for (const locator of everyProperty().filter((property) => property.name === name)) {
			expect(locator).toMatchObject({
				...{ type: 'resourceLocator', required: true, default: list },
				modes: [
					{ name: 'list', typeOptions: { searchListMethod, searchable: true } },
					{ name: mode },
				],
			});
		}
		expect(nodeType.methods?.listSearch?.[searchListMethod]).toEqual(expect.any(Function));
	});

	it('hides what is typed as a password', () => {
		const passwords = everyProperty().filter(({ name }) => name === 'password');
		expect(passwords).toMatchObject([{ typeOptions: { password: true } }]);
	});

	it('has the names that saved workflows contain', () => {
		expect(nodeType.description).toMatchObject({
			...{ name: 'encryptedContainers', usableAsTool: true, inputs: ['main'], outputs: ['main'] },
			credentials: [{ name: 'encryptedContainersApi', required: true }],
		});
	});
});
