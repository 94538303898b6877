import type { INodeProperties } from 'n8n-workflow';
import { EncryptedContainers } from '../../../../nodes/EncryptedContainers/EncryptedContainers.node';
import { contact } from '../../../../nodes/EncryptedContainers/resources/contact';
import { container } from '../../../../nodes/EncryptedContainers/resources/container';
import { drm } from '../../../../nodes/EncryptedContainers/resources/drm';
import { mergeFields } from '../../../../nodes/EncryptedContainers/resources/mergeFields';
import { user } from '../../../../nodes/EncryptedContainers/resources/user';
import { getFieldsOf } from '../../../support/fieldsOf.cts';

const operations = [contact, container, drm, user].flatMap((resource) => resource.operations);
const { properties } = new EncryptedContainers().description;

const text = (name: string, description = ''): INodeProperties => ({
	displayName: name.toUpperCase(),
	name,
	type: 'string',
	default: '',
	description,
});
const collection = (...options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	default: {},
	options,
});
const operation = (name: string, ...fields: INodeProperties[]) => {
	const [resource, value] = name.split('.');
	return { resource, operation: value, fields };
};
const namesOf = (fields: INodeProperties[]) => fields.map(({ name }) => name);
const membersOf = (field: INodeProperties) => (field.options ?? []) as INodeProperties[];
/** Without the conditions that the merge adds. */
const withoutDisplay = ({ displayOptions, ...field }: INodeProperties) => {
	const show = Object.entries(displayOptions?.show ?? {}).filter(
		([key]) => !/^\/?(resource|operation)$/.test(key),
	);
	const hide = displayOptions?.hide ?? {};
	const members = field.type === 'collection' ? { options: [] } : {};
	return { ...field, ...members, show: Object.fromEntries(show), hide };
};

describe('the properties of the node', () => {
	it.each(operations)('show $resource: $operation its own fields, in its order', (declared) => {
		const shown = getFieldsOf(declared, properties);

		expect(shown.map(withoutDisplay)).toEqual(declared.fields.map(withoutDisplay));
	});

	it.each(operations)('show $resource: $operation its own members of collections', (declared) => {
		const collections = declared.fields.filter(({ type }) => type === 'collection');
		expect(collections.length).toBeGreaterThan(0);
		for (const own of collections) {
			const [shown] = getFieldsOf(declared, properties).filter(({ name }) => name === own.name);
			const members = getFieldsOf(declared, membersOf(shown), '/');

			expect(members.map(withoutDisplay)).toEqual(membersOf(own).map(withoutDisplay));
		}
	});

	it('have conditions that every n8n can resolve: paths below a property start at the root', () => {
		const names = namesOf(properties);
		const keys = properties.flatMap(({ displayOptions: { show = {}, hide = {} } = {} }) =>
			Object.keys({ ...show, ...hide }),
		);

		expect(keys.filter((key) => !names.includes(key) && !/^[/@]/.test(key))).toEqual([]);
	});

	it('have no condition with a regular expression, which n8n runs in a sandbox for each item', () => {
		expect(JSON.stringify(properties)).not.toContain('"regex"');
	});

	it('have each name once, because n8n evaluates every property of a name', () => {
		// Fields without expressions, which cost nothing.
		const names = namesOf(properties).filter((name) => !['operation', 'fileSource'].includes(name));

		expect(names).toEqual([...new Set(names)]);
	});
});

describe('merging the fields of operations', () => {
	it('joins a field that several operations have, and keeps the order of each', () => {
		const merged = mergeFields([
			operation('a.get', text('id'), text('last')),
			operation('a.list', text('limit'), text('last')),
			operation('a.new', text('id'), text('name'), text('last')),
		]);

		expect(namesOf(merged)).toEqual(['limit', 'id', 'name', 'last']);
		expect(merged.map(({ displayOptions }) => displayOptions?.show)).toEqual([
			{ resource: ['a'], operation: ['list'] },
			{ resource: ['a'], operation: ['get', 'new'] },
			{ resource: ['a'], operation: ['new'] },
			undefined,
		]);
	});

	it('shows no field in an operation that does not have it', () => {
		const all = [
			operation('a.get', text('id')),
			operation('a.delete'),
			operation('b.delete', text('id')),
		];
		const merged = mergeFields(all);

		expect(all.map((one) => namesOf(getFieldsOf(one, merged)))).toEqual([['id'], [], ['id']]);
	});

	it('joins collections by their members, sorted by display name', () => {
		const all = [
			operation('a.get', collection(text('limit'), text('user'))),
			operation('a.list', collection(text('filter'), text('limit'), text('user', 'other'))),
		];
		const [merged, ...others] = mergeFields(all);

		expect(others).toEqual([]);
		expect(namesOf(membersOf(merged))).toEqual(['filter', 'limit', 'user', 'user']);
		expect(
			all.map((one) =>
				getFieldsOf(one, membersOf(merged), '/').map(({ name, description }) => [
					name,
					description,
				]),
			),
		).toEqual([
			[
				['limit', ''],
				['user', ''],
			],
			[
				['filter', ''],
				['limit', ''],
				['user', 'other'],
			],
		]);
	});

	it('keeps the order in a collection of a single operation', () => {
		const merged = mergeFields([operation('a.get', collection(text('user'), text('limit')))]);

		expect(namesOf(membersOf(merged[0]))).toEqual(['user', 'limit']);
	});

	it('shows a field once in each of several resources, not all of whose operations have it', () => {
		const all = ['a', 'b', 'c'].flatMap((resource) => [
			operation(`${resource}.get`, ...(resource === 'a' ? [text('id')] : [])),
			operation(`${resource}.delete`, text('id')),
		]);
		const merged = mergeFields([...all, operation('a.list')]);

		expect(all.map((one) => namesOf(getFieldsOf(one, merged)))).toEqual(
			all.map(({ fields }) => namesOf(fields)),
		);
	});

	it.each([
		[{ type: 'options' as const, options: [{ name: 'One', value: 1 }] }, { options: [] }],
		[{ type: 'collection' as const, options: [] }, { description: 'Other' }],
	])('keeps fields apart that differ in one property: %j', (field, change) => {
		const fields = [
			{ ...text('id'), ...field },
			{ ...text('id'), ...field, ...change },
		];
		const merged = mergeFields(fields.map((one, index) => operation(`a.${index}`, one)));

		expect(merged).toHaveLength(2);
	});

	it('keeps fields apart that differ', () => {
		const all = [operation('a.get', text('id', 'one')), operation('a.list', text('id', 'two'))];

		expect(all.map((one) => getFieldsOf(one, mergeFields(all))[0].description)).toEqual([
			'one',
			'two',
		]);
	});

	it('keeps the other display options of a field', () => {
		const field = { ...text('rows'), displayOptions: { show: { mode: ['rows'] } } };
		const [merged] = mergeFields([operation('a.new', field), operation('a.get')]);

		expect(merged.displayOptions?.show).toEqual({
			mode: ['rows'],
			resource: ['a'],
			operation: ['new'],
		});
	});
});
