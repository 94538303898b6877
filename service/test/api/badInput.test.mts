import type { ApiResponse, Container, ErrorBody } from '../support/api.mts';
import { createContainer, filePart, manifestPart, sendForm } from '../support/encode.mts';
import { describeService, listFiles, startService, type Service } from '../support/service.mts';

const MEGABYTE = 'x'.repeat(1_000_000);
const texts = [7, true, null, {}, ['a']];
const controls = ['a\u0000b', 'a\u0007b', '\ud800'];
const names = [...texts, '', ' ', '\u00a0', 'x'.repeat(501), MEGABYTE, 'a\nb', ...controls];
const numbers = ['1', 0, -1, 1.5, 2_147_483_648, 1e300, true, {}, [1]];
const booleans = ['true', 1, {}, [], ''];
const objects = ['text', 1, true, [], [1]];
const addresses = [
	'',
	'ada',
	'ada@',
	'@example.com',
	'a b@example.com',
	'ada@*',
	'*',
	'a*@example.com',
	`${MEGABYTE}@example.com`,
	'ada@example.com\n',
	'a\u0000@example.com',
	7,
	null,
	{},
];
const days = [
	'2026-02-30',
	'2026-13-01',
	'01.02.2026',
	'2026-1-1',
	'2026-01-01T00:00:00Z',
	'',
	20260101,
	true,
	{},
	MEGABYTE,
];
const ranges = [
	'',
	'example.com',
	'1.2.3',
	'1.2.3.256',
	'10.0.0.0/33',
	'2001:db8::/129',
	'2.0.0.0-1.0.0.0',
	'1.2.3.4-',
	'10.0.0.0/255.0',
	MEGABYTE,
	7,
	null,
];
const countries = ['', 'de', 'DEU', 'XX', 'D\u0000', 49, null, MEGABYTE];

/** Values that a rule can't have, by the path of its field. */
const rules: Record<string, unknown[]> = {
	dynamic: booleans,
	downloadable: booleans,
	opens: numbers,
	recipients: ['ada@example.com', {}, 1],
	'recipients.0': addresses,
	geo: objects,
	'geo.allow': ['DE', {}],
	'geo.block.0': ['DE', 1, null, {}],
	'geo.allow.0.country': countries,
	ip: objects,
	'ip.allow': ['1.2.3.4', {}],
	'ip.block.0': ranges,
	time: objects,
	'time.start': days,
	'time.end': days,
};

/** `a.0.b` and 1 → `{ a: [{ b: 1 }] }` */
function nest(path: string, value: unknown): unknown {
	return path
		.split('.')
		.reverse()
		.reduce((inner, key) => (key === '0' ? [inner] : { [key]: inner }), value);
}

const cases = (table: Record<string, unknown[]>) =>
	Object.entries(table).flatMap(([field, values]) =>
		values.map((value): [string, string, unknown] => [
			field,
			JSON.stringify(value).slice(0, 40),
			value,
		]),
	);

describeService('bad input', () => {
	let service: Service;
	let drm: string;
	let contact: string;
	let before: object;

	/** Everything that a refused request could have changed. */
	const readState = async () => {
		const read = async (path: string) => (await service.api.get<Container[]>(path)).text;
		return {
			containers: await read(`/users/${service.userId}/containers`),
			contacts: await read(`/users/${service.userId}/contacts`),
			events: await read(`/users/${service.userId}/events`),
			rules: await read(drm),
			files: listFiles(service.files),
		};
	};

	beforeAll(async () => {
		service = await startService();
		const { uuid } = await createContainer(service, { drm: { dynamic: true, opens: 1 } });
		drm = `/containers/${uuid}/drm`;
		contact = `/users/${service.userId}/contacts/ada@example.com`;
		await service.api.patch(contact, { first_name: 'Ada' });
		before = await readState();
	});

	afterEach(async () => {
		expect(await readState()).toEqual(before);
	});

	/** Expects a refusal that names the field, or the one that holds it. */
	const expectNamed = (response: ApiResponse<ErrorBody>, field: string) => {
		expect([response.status, response.body.code]).toEqual([422, 'invalid']);
		const named = Object.keys(response.body.fields ?? {});
		expect(named.filter((name) => `${field}.`.startsWith(`${name}.`))).not.toEqual([]);
	};
	const encode = async (manifest: unknown, filename = 'a.txt') =>
		await sendForm(service, [manifestPart(manifest), filePart(filename, 'x')]);

	it.each(
		cases({
			manifest: ['text', 1, true, null, []],
			container: [...objects, null],
			'container.name': names,
			'container.password': [
				...texts.slice(0, 2),
				{},
				'',
				'x'.repeat(1001),
				MEGABYTE,
				'a\nb',
				...controls,
			],
			'container.drm': objects,
			files: objects,
			...Object.fromEntries(
				['recipients', 'recipients.0', 'downloadable'].map((name) => [
					`container.${name}`,
					rules[name],
				]),
			),
		}),
	)('%s of a manifest: %s is 422', async (field, _, value) => {
		if (field === 'manifest') return expectNamed(await encode(JSON.stringify(value)), field);
		const [top, ...rest] = field.split('.');
		const container = rest.length > 0 ? (nest(rest.join('.'), value) as object) : value;
		const manifest =
			top === 'files'
				? { container: { name: 'Test' }, files: value }
				: { container: rest.length > 0 ? { name: 'Test', ...(container as object) } : container };
		expectNamed(await encode(manifest), field);
	});

	it.each(cases(rules))('the rule %s: %s is 422', async (field, _, value) => {
		expectNamed(await service.api.patch(drm, nest(field, value)), field);
		const manifest = { container: { name: 'Test', drm: nest(field, value) } };
		expectNamed(await encode(manifest), `container.drm.${field}`);
	});

	it('a manifest without a name, and days in the wrong order, are 422', async () => {
		expectNamed(await encode({ container: {} }), 'container.name');
		const time = { start: '2026-02-02', end: '2026-02-01' };
		expectNamed(await service.api.patch(drm, { time }), 'time.end');
		expectNamed(
			await encode({ container: { name: 'Test', drm: { time } } }),
			'container.drm.time.end',
		);
	});

	it.each(['', 'x'.repeat(256), 'a\u0007b', 'a\tb', 'folder/', MEGABYTE])(
		'the file name %j is refused',
		async (filename) => {
			const { status, body } = await encode({ container: { name: 'Test' } }, filename);
			// A header of a megabyte can't be parsed.
			expect([400, 422]).toContain(status);
			if (status === 422) expect(Object.keys(body.fields ?? {})).toEqual(['file.0.name']);
		},
	);

	it.each(
		cases({
			...Object.fromEntries(
				['first_name', 'last_name', 'company', 'phone_number'].map((name) => [
					name,
					[1, true, {}, ['a'], 'x'.repeat(10_001), MEGABYTE, 'a\nb', ...controls],
				]),
			),
			email: addresses.filter((value) => value !== null),
			note: [{}, ['a'], 'x'.repeat(10_001), ...controls],
			['n'.repeat(101)]: ['x'],
			'a\nb': ['x'],
			'': ['x'],
		}),
	)('%s of a contact: %s is 422', async (field, _, value) => {
		expectNamed(await service.api.patch(contact, { [field]: value }), field);
	});

	it('a contact of more than 100 fields is 422', async () => {
		const fields = Array.from({ length: 101 }, (_, n) => [`field${n}`, n]);
		expect((await service.api.patch(contact, Object.fromEntries(fields))).status).toBe(422);
	});

	it.each([
		'ada',
		'ada@',
		'@example.com',
		'*@example.com',
		'a%00b@example.com',
		'%ff@example.com',
		`${'x'.repeat(5000)}@example.com`,
	])('a contact at %s is refused', async (email) => {
		const path = `/users/${service.userId}/contacts/${email}`;
		for (const { status } of [
			await service.api.get(path),
			await service.api.patch(path, { first_name: 'X' }),
			await service.api.delete(path),
		]) {
			expect([400, 404, 414, 422]).toContain(status);
		}
	});

	it.each([
		['malformed JSON', '{"opens": 1', 400],
		['no JSON', 'opens=1', 400],
		['nothing', '', 400],
		['a list', '[]', 422],
		['null', 'null', 422],
		['text', '"opens"', 422],
		['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400],
		['more than 4 MiB', `{"x":"${'x'.repeat(4 * 1024 * 1024)}"}`, 413],
		['deep nesting', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, 422],
	])('a body of %s is %#', async (_, body, expected) => {
		for (const path of [drm, contact]) {
			const { status } = await service.api.send('PATCH', path, {
				body,
				headers: { 'content-type': 'application/json' },
			});
			// What isn't UTF-8 may be a key that no rule has.
			expect(Buffer.isBuffer(body) ? [400, 422] : [expected]).toContain(status);
		}
	});
});
