import {
	expectRecord,
	findCreation,
	getContactEmail,
	getContainerIdentity,
	sortNewestFirst,
	toContainerKey,
	unwrapContact,
} from '../../../../nodes/shared/api/records';

it.each<[object, unknown, unknown]>([
	[{ org_id: 'u', container: { uuid: 'c', name: 'N' } }, 'c', 'N'],
	[{ uuid: 'c', name: 'N' }, 'c', 'N'],
	[{ id: 'c', container_name: 'N' }, 'c', 'N'],
	[{ uuid: 'c', id: 7 }, 'c', undefined],
	[{ uuid: 5, name: 7 }, '5', '7'],
	[{ data: { id: 'c', name: 'N' }, message: 'OK' }, 'c', 'N'],
	[{ data: { container: { uuid: 'c' } }, id: 'request' }, 'c', undefined],
	[{ container: null, uuid: 'c' }, 'c', undefined],
	[{ container: { uuid: 'c' }, name: 'N' }, 'c', 'N'],
	[{ container: {}, uuid: 'c' }, 'c', undefined],
	[{ container_id: 'c', result: { uuid: 'c' } }, undefined, undefined],
	[{ uuid: true, id: 2 ** 53, name: ['N'] }, undefined, undefined],
	[{ uuid: '', name: '' }, undefined, undefined],
])('a container has its identifier and name in %j', (record, id, name) => {
	expect(getContainerIdentity(record as never)).toEqual({ id, name });
});

it.each<[string, string]>([
	['5F0C2A4E-8D1B-4C7A-9E36-2B7D1F4A6C90', '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90'],
	...['C-1', 'x5F0C2A4E-8D1B-4C7A-9E36-2B7D1F4A6C90', '5F0C2A4E-8D1B-4C7A-9E36-2B7D1F4A6C90x'].map(
		(id): [string, string] => [id, id],
	),
])('a container is the same under a UUID in capitals only: %s', (id, key) => {
	expect(toContainerKey(id)).toBe(key);
});

it('a contact has its email address at the top, or in what holds it, or none', () => {
	const record = { email: 'a@example.com', company: 'X' };
	const forms = [record, { contact: record }, { data: record }, { data: { contact: record } }];
	for (const form of forms) {
		expect(getContactEmail(form)).toBe('a@example.com');
		expect(unwrapContact(form)).toBe(record);
	}
	const withField = { ...record, contact: { phone: '1' } };
	expect(unwrapContact(withField)).toBe(withField);
	expect(getContactEmail({ company: 'X', mail: 'a@example.com' })).toBeUndefined();
});

it.each<[object, string | undefined, string | undefined]>([
	[{ created_date: '2026-11-20T10:00:00.000Z' }, undefined, '2026-11-20'],
	[{ created_date: '2026-11-20T23:30:00.000Z' }, 'Europe/Zurich', '2026-11-21'],
	[{ container: { created_date: '2026-11-20T10:00:00.000Z' } }, undefined, '2026-11-20'],
	...[{}, { created_date: null }, { created_date: 'soon' }, { created_at: '2026-11-20' }].map(
		(record): [object, undefined, undefined] => [record, undefined, undefined],
	),
])('a record was created when its created_date says: %j', (record, timeZone, day) => {
	expect(findCreation(record as never, timeZone)?.day).toBe(day);
});

it('the newest come first, and those without a date last, in their order', () => {
	const dates = { old: '2020-01-01', none: undefined, new: '2026-11-20T09:00:00.000Z' };
	const others = { newer: '2026-11-20T10:00:00.000Z', nothing: '', same: '2026-11-20T10:00:00Z' };
	const records = Object.entries({ ...dates, ...others }).map(([uuid, created_date]) => ({
		...{ uuid, record: { container: { created_date } } },
	}));
	const sorted = sortNewestFirst(records).map(({ uuid }) => uuid);
	expect(sorted).toEqual(['newer', 'same', 'new', 'old', 'none', 'nothing']);
});

const [anna, container] = [{ contactEmail: 'anna@x.example' }, { containerId: 'c-1' }];

it.each<[object, object, boolean]>([
	[anna, { email: 'ANNA@x.example' }, true],
	[anna, { data: { email: 'b@x.example' } }, false],
	[anna, { first_name: 'Anna' }, false],
	[container, { uuid: 'C-1' }, true],
	[container, { container: { uuid: 'u-7', id: 'c-1' } }, true],
	[container, { uuid: 'u-7', id: 7 }, false],
	[container, { container: null, org_id: 7 }, false],
])('the record that is asked for, %j, is in %j: %s', (asked, response, isIn) => {
	expect(expectRecord(asked)?.isIn(response as never)).toBe(isIn);
	expect(expectRecord({})).toBeUndefined();
});
