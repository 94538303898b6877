import {
	getContactEmail,
	getContainerIdentity,
	getNewContainerId,
	toRecord,
	unwrapContact,
	withContainerId,
} from '../../../../nodes/shared/api/records';

describe('an entry', () => {
	it.each([
		['a record', { uuid: 'c-1' }, { uuid: 'c-1' }],
		['text', 'c-1', { uuid: 'c-1' }],
		['a number', 17, { uuid: '17' }],
		['true', true, { value: true }],
		['a list', [1], { value: [1] }],
		['null', null, undefined],
		['nothing', undefined, undefined],
	])('becomes one JSON object, or nothing, from %s', (_what, entry, record) => {
		expect(toRecord(entry, 'uuid')).toEqual(record);
	});
});

describe('a container', () => {
	it.each([
		['an envelope', { org_id: 'u', container: { uuid: 'c', name: 'N' } }, { id: 'c', name: 'N' }],
		['a plain record', { uuid: 'c', name: 'N' }, { id: 'c', name: 'N' }],
		['a record with an id', { id: 'c', name: 'N' }, { id: 'c', name: 'N' }],
		['a record with a number', { uuid: 5, name: 7 }, { id: '5', name: '7' }],
		['a record with a container_id', { container_id: 'c' }, { id: 'c', name: undefined }],
		['an empty envelope', { container: null, uuid: 'c' }, { id: 'c', name: undefined }],
		['another type', { uuid: true, name: ['N'] }, { id: undefined, name: undefined }],
		['empty texts', { uuid: '', name: '' }, { id: undefined, name: undefined }],
	])('has an identifier and a name in %s', (_shape, record, expected) => {
		expect(getContainerIdentity(record)).toEqual(expected);
	});
});

describe('a new container', () => {
	it.each([
		[{ org_id: 'u', container: { uuid: 'c', name: 'N' } }, 'c'],
		[{ uuid: 'c', name: 'N' }, 'c'],
		[{ uuid: 5 }, '5'],
		[{ container: null, uuid: 'c' }, 'c'],
		[{ id: 'req-1' }, undefined],
		[{ container: { id: 'c' } }, undefined],
		[{ container: { name: 'N' }, uuid: 'req-1' }, undefined],
		[{ data: { uuid: 'c' } }, undefined],
		[{ uuid: '' }, undefined],
	])('has its identifier only where the contract has it: %j', (response, id) => {
		expect(getNewContainerId(response)).toBe(id);
	});
});

it('rules have the ID of their container at the top, in place of one of their own', () => {
	const record = withContainerId('c-1', { opens: 3, containerId: 'x' });
	expect(record).toEqual({ containerId: 'c-1', opens: 3 });
	expect(Object.keys(record)).toEqual(['containerId', 'opens']);
});

describe('a contact', () => {
	it.each(['email', 'email_address', 'emailAddress', 'mail', 'address'])(
		'has its email address under %s, wrapped or not',
		(key) => {
			const record = { [key]: 'a@example.com', company: 'X' };
			expect(getContactEmail(record)).toBe('a@example.com');
			expect(getContactEmail({ contact: record })).toBe('a@example.com');
			expect(unwrapContact({ contact: record })).toBe(record);
		},
	);

	it('can have no email address', () => {
		expect(getContactEmail({ company: 'X' })).toBeUndefined();
		expect(getContactEmail({ email: null, address: '1 Main Street' })).toBeUndefined();
	});
});
