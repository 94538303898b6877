import {
	checkRecord,
	getContactEmail,
	getContainerIdentity,
	getNewContainerId,
	toContainerKey,
	toRecord,
	unwrapContact,
	withContainerId,
} from '../../../../nodes/shared/api/records';
import { findCreation, sortNewestFirst } from '../../../../nodes/shared/api/creation';

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
	[{ container: {}, uuid: 'c' }, 'c', undefined],
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

it.each<[string, string]>([
	['5F0C2A4E-8D1B-4C7A-9E36-2B7D1F4A6C90', '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90'],
	...['C-1', 'x5F0C2A4E-8D1B-4C7A-9E36-2B7D1F4A6C90', '5F0C2A4E-8D1B-4C7A-9E36-2B7D1F4A6C90x'].map(
		(id): [string, string] => [id, id],
	),
	...['F-8D1B-4C7A-9E36-2B7D1F4A6C90', '5F0C2A4E-8D1B-2B7D1F4A6C90', 'GF0C2A4E-A-B-C-D'].map(
		(id): [string, string] => [id, id],
	),
])('a container is the same under a UUID in capitals only: %s', (id, key) => {
	expect(toContainerKey(id)).toBe(key);
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
		expect(unwrapContact({ data: { contact: record } })).toBe(record);
		expect(getContactEmail({ [key]: 'Anna <a@example.com>' })).toBe('a@example.com');
		expect(getContactEmail({ ...record, data: { email: 'b@example.com' } })).toBe('a@example.com');
		const withField = { ...record, contact: { phone: '1', address: '1 Main Street' } };
		expect(unwrapContact(withField)).toBe(withField);
		expect(unwrapContact({ email: null, contact: record })).toBe(record);
		expect(getContactEmail({ company: 'X' })).toBeUndefined();
		expect(getContactEmail({ email: null, address: '1 Main Street' })).toBeUndefined();
	},
);

describe('when a record was created', () => {
	it.each<[object, string, string]>([
		[{ created_date: '2026-11-20T10:00:00.000Z' }, '2026-11-20', '2026-11-20T10:00:00Z'],
		[{ createdAt: '2026-11-20' }, '2026-11-20', '2026-11-20T00:00:00Z'],
		[{ created: 1_795_000_000 }, '2026-11-18', '2026-11-18T11:06:40Z'],
		[{ created: 1e12 }, '2001-09-09', '2001-09-09T01:46:40Z'],
		[{ created: '1795000000.25' }, '2026-11-18', '2026-11-18T11:06:40.250Z'],
		[{ CreationTime: 1_795_000_000_000 }, '2026-11-18', '2026-11-18T11:06:40Z'],
		[{ container: { created_on: '2026-11-20' } }, '2026-11-20', '2026-11-20T00:00:00Z'],
		[{ created_at: '2026-11-20', container: { uuid: 'a' } }, '2026-11-20', '2026-11-20T00:00:00Z'],
		[{ created: null, created_at: '2026-11-20' }, '2026-11-20', '2026-11-20T00:00:00Z'],
	])('is found in %j', (record, day, time) => {
		expect(findCreation(record as never)).toEqual({ day, time: Date.parse(time) });
	});

	it.each([
		...['created', 'createdAt', 'create_date', 'created-date', 'createdOn', 'created time'],
		...['createTime', 'creation_date', 'CreationTime', 'creationTimestamp', 'date_created'],
	])('is found under %s', (key) => {
		expect(findCreation({ [key]: '2026-11-20' })?.day).toBe('2026-11-20');
		expect(findCreation({ contact: { [key]: '2026-11-20' } })?.day).toBe('2026-11-20');
	});

	it.each([
		...[{}, { created: '' }, { created: 'soon' }, { updated_at: '2026-11-20' }],
		...[{ created: true }, { created: 20261120 }, { date: '2026-11-20' }],
		...[{ last_created: '2026-11-20' }, { created_by_day: '2026-11-20' }],
	])('is not in %j', (record) => {
		expect(findCreation(record as never)).toBeUndefined();
	});
});

it('the newest come first, and those without a date last, in their order', () => {
	const records = [
		{ uuid: 'none' },
		{ uuid: 'old', created_at: '2020-01-01' },
		{ uuid: 'nothing' },
		{ uuid: 'new', container: { created: 1_795_000_000 } },
		{ uuid: 'newer', created_at: '2026-11-20T10:00:00+01:00' },
		{ uuid: 'same', created_at: '2026-11-20T09:00:00Z' },
	];
	const sorted = sortNewestFirst(records, (record) => record).map(({ uuid }) => uuid);
	expect(sorted).toEqual(['newer', 'same', 'new', 'old', 'none', 'nothing']);
});

describe('what a service returns in place of a record', () => {
	const anna = { contactEmail: 'anna@x.example' };

	it.each([
		...['message', 'msg', 'detail', 'reason', 'success', 'found', 'meta', 'timestamp'],
		...['request_id', 'traceId', 'requestid', 'errorCode', 'statusText'],
	])('is %s alone, or beside what holds nothing', (key) => {
		for (const empty of ['data', 'result', 'container', 'contact', 'user', 'error', 'errors']) {
			expect(checkRecord({ [key]: 'x', [empty]: null }, anna)).toMatchObject({
				expected: 'a record',
				received: `a JSON object with the fields ${key}, ${empty}`,
			});
		}
		// A record has fields with such words in their names.
		for (const own of [`my ${key} x`, `user_${key}s`].filter(
			(name) => !/code|status/i.test(name),
		)) {
			expect(checkRecord({ [own]: 'x' }, anna)).toBeUndefined();
		}
	});

	it.each(['metadata', 'my_result', 'results', 'user_name', 'errors_seen'])(
		'is not %s, which a record can lack',
		(key) => expect(checkRecord({ [key]: null }, anna)).toBeUndefined(),
	);

	it('is another record, but none with an ID or an address', () => {
		expect(checkRecord({ email: 'ANNA@x.example' }, anna)).toBeUndefined();
		expect(checkRecord({ email: 'b@x.example' }, anna)).toMatchObject({
			expected: 'the contact "anna@x.example"',
			received: 'the contact "b@x.example"',
		});
		expect(checkRecord({ id: 7 }, {})).toBeUndefined();
		for (const container of [null, [], {}, '']) {
			expect(checkRecord({ container, org_id: 7 }, { containerId: 'c-1' })).toMatchObject({
				expected: 'a container with a uuid',
			});
		}
	});
});
