import {
	getContactEmail,
	getContainerIdentity,
	getNewContainerId,
	toRecord,
	unwrapContact,
	withContainerId,
} from '../../../../nodes/shared/api/records';

it.each([
	[{ uuid: 'c-1' }, { uuid: 'c-1' }],
	['c-1', { uuid: 'c-1' }],
	[17, { uuid: '17' }],
	[true, { value: true }],
	[[1], { value: [1] }],
	[null, undefined],
	[undefined, undefined],
])('an entry becomes one JSON object, or nothing: %j', (entry, record) => {
	expect(toRecord(entry, 'uuid')).toEqual(record);
});

it.each<[object, unknown, unknown]>([
	[{ org_id: 'u', container: { uuid: 'c', name: 'N' } }, 'c', 'N'],
	[{ uuid: 'c', name: 'N' }, 'c', 'N'],
	[{ id: 'c', name: 'N' }, 'c', 'N'],
	[{ uuid: 5, name: 7 }, '5', '7'],
	[{ container_id: 'c' }, 'c', undefined],
	[{ container: null, uuid: 'c' }, 'c', undefined],
	[{ uuid: true, name: ['N'] }, undefined, undefined],
	[{ uuid: '', name: '' }, undefined, undefined],
])('a container has its identifier and name in %j', (record, id, name) => {
	expect(getContainerIdentity(record as never)).toEqual({ id, name });
});

it.each<[object, string | undefined]>([
	[{ org_id: 'u', container: { uuid: 'c', name: 'N' } }, 'c'],
	[{ uuid: 'c', name: 'N' }, 'c'],
	[{ uuid: 5 }, '5'],
	[{ container: null, uuid: 'c' }, 'c'],
	[{ id: 'req-1' }, undefined],
	[{ container: { id: 'c' } }, undefined],
	[{ container: { name: 'N' }, uuid: 'req-1' }, undefined],
	[{ data: { uuid: 'c' } }, undefined],
	[{ uuid: '' }, undefined],
])('a new container has its identifier only where the contract has it: %j', (response, id) => {
	expect(getNewContainerId(response as never)).toBe(id);
});

it('rules have the ID of their container at the top, in place of one of their own', () => {
	const record = withContainerId('c-1', { opens: 3, containerId: 'x' });
	expect(Object.entries(record)).toEqual(Object.entries({ containerId: 'c-1', opens: 3 }));
});

it.each(['email', 'email_address', 'emailAddress', 'mail', 'address'])(
	'a contact has its email address under %s, wrapped or not, or none',
	(key) => {
		const record = { [key]: 'a@example.com', company: 'X' };
		expect(getContactEmail(record)).toBe('a@example.com');
		expect(getContactEmail({ contact: record })).toBe('a@example.com');
		expect(unwrapContact({ contact: record })).toBe(record);
		expect(getContactEmail({ company: 'X' })).toBeUndefined();
		expect(getContactEmail({ email: null, address: '1 Main Street' })).toBeUndefined();
	},
);
