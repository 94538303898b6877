import type { ApiResponse, ErrorBody } from '../support/api.mts';
import { createContainer, filePart, manifestPart, sendForm } from '../support/encode.mts';
import { describeService, startService, type Service } from '../support/service.mts';

const MEGABYTE = 'x'.repeat(1_000_000);
const controls = ['a\u0000b', 'a\u0007b', '\ud800'];
const noTexts = [7, true, {}, ['a']];
const words = (text: string) => text.split(' ');
const booleans = ['true', 1, {}, []];
const objects = ['text', 1, true, [], [1]];
const mail = 'ada ada@ @example.com a@b@c ada@* * a*@example.com "a"@example.com <a@example.com>';
const addresses = [
	...noTexts,
	'',
	`${MEGABYTE}@example.com`,
	'a @b.c',
	...controls,
	...words(mail),
];
const ranges =
	'example.com 1.2.3 1.2.3.256 10.0.0.0/33 2001:db8::/129 2.0.0.0-1.0.0.0 1.2.3.4- 10.0.0.0/255.0';
const days = [
	...noTexts,
	'',
	MEGABYTE,
	...words('2026-02-30 01.02.2026 2026-1-1 2026-01-01T00:00:00Z'),
];

/** Values that a rule can't have, by the path of its field. */
const rules: Record<string, unknown[]> = {
	dynamic: booleans,
	downloadable: booleans,
	opens: ['1', 0, -1, 1.5, 2_147_483_648, 1e300, true, {}, [1]],
	recipients: ['ada@example.com', {}, 1],
	'recipients.0': [...addresses, null, 'ada@example.com\n'],
	geo: [...objects, {}],
	'geo.allow': ['DE', {}, []],
	'geo.block.0': ['DE', 1, null, {}],
	'geo.allow.0.country': [...noTexts, '', 'de', 'DEU', 'XX', 'D\u0000', null, MEGABYTE],
	ip: [...objects, {}],
	'ip.allow': ['1.2.3.4', {}, []],
	'ip.block.0': [...noTexts, ...words(ranges), '', null, MEGABYTE],
	time: [...objects, {}],
	'time.start': days,
	'time.end': days,
	...{ owner: ['x'], 'time.from': ['2026-01-01'], 'geo.deny': [[]], 'ip.deny': [[]] },
};
const manifests: Record<string, unknown[]> = {
	container: [...objects, null, {}],
	'container.name': [...noTexts, null, '', ' ', 'x'.repeat(501), MEGABYTE, 'a\nb', ...controls],
	'container.password': [...noTexts, '', 'x'.repeat(1001), MEGABYTE, 'a\nb', ...controls],
	'container.drm': objects,
	'container.recipients': rules.recipients,
	'container.recipients.0': addresses,
	'container.downloadable': booleans,
	files: objects,
	...{ 'container.title': ['x'], extra: ['x'] },
};
const name = [1, true, {}, ['a'], 'x'.repeat(10_001), MEGABYTE, 'a\nb', ...controls];
const contacts: Record<string, unknown[]> = {
	...{ first_name: name, last_name: name, company: name, phone_number: name },
	...{ email: addresses, note: [{}, ['a'], 'x'.repeat(10_001), ...controls] },
};

/** `a.0.b` and 1 → `{ a: [{ b: 1 }] }` */
const nest = (path: string, value: unknown) =>
	path
		.split('.')
		.reverse()
		.reduce((inner, key) => (key === '0' ? [inner] : { [key]: inner }), value);

const toCases = (table: Record<string, unknown[]>) =>
	Object.entries(table).flatMap(([field, values]) =>
		values.map((value) => ({ field, value, text: JSON.stringify(value).slice(0, 40) })),
	);

describeService('bad input', () => {
	let service: Service;
	let drm: string;
	let contact: string;
	let before: unknown[];

	/** Everything that a refused request could have changed. */
	const getState = async () => {
		const user = `/users/${service.userId}`;
		const paths = [`${user}/containers`, `${user}/contacts`, `${user}/events`, drm];
		const responses = await Promise.all(paths.map(async (path) => await service.api.get(path)));
		return [...responses.map(({ text }) => text), service.listFiles()];
	};

	beforeAll(async () => {
		service = await startService();
		const { uuid } = await createContainer(service, { drm: { dynamic: true, opens: 1 } });
		drm = `/containers/${uuid}/drm`;
		contact = `/users/${service.userId}/contacts/ada@example.com`;
		await service.api.patch(contact, { first_name: 'Ada' });
		before = await getState();
	});

	afterEach(async () => {
		expect(await getState()).toEqual(before);
	});

	/** Expects a refusal that names the field, or one inside it. */
	const expectNamed = ({ status, body }: ApiResponse<ErrorBody>, field: string) => {
		const named = Object.keys(body.fields ?? {});
		const isNamed = named.some((key) => `${key}.`.startsWith(`${field}.`));
		expect([status, body.code, isNamed ? field : named]).toEqual([422, 'invalid', field]);
	};
	const encode = async (manifest: unknown, filename = 'a.txt') =>
		await sendForm(service, [manifestPart(manifest), filePart(filename, 'x')]);
	const container = { name: 'Test' };

	it.each(toCases(manifests))('$field of a manifest: $text is 422', async ({ field, value }) => {
		const [top, ...rest] = field.split('.');
		const inside =
			rest.length > 0 ? { ...container, ...(nest(rest.join('.'), value) as object) } : value;
		expectNamed(await encode({ container, [top]: inside }), field);
	});

	it.each(toCases(rules))('the rule $field: $text is 422', async ({ field, value }) => {
		expectNamed(await service.api.patch(drm, nest(field, value) as object), field);
		const manifest = { container: { ...container, drm: nest(field, value) } };
		expectNamed(await encode(manifest), `container.drm.${field}`);
	});

	it.each(toCases(contacts))('$field of a contact: $text is 422', async ({ field, value }) => {
		expectNamed(await service.api.patch(contact, { [field]: value }), field);
	});

	it('a manifest that is no object, days in the wrong order and too many fields are 422', async () => {
		for (const value of ['"text"', '1', 'true', 'null', '[]']) {
			expectNamed(await encode(value), 'manifest');
		}
		const time = { start: '2026-02-02', end: '2026-02-01' };
		expectNamed(await service.api.patch(drm, { time }), 'time.end');
		const names = Array.from({ length: 101 }, (_, n) => `field${n}`);
		for (const list of [names, ['n'.repeat(101)], ['a\nb'], ['']]) {
			const fields = Object.fromEntries(list.map((own) => [own, 'x']));
			expect((await service.api.patch(contact, fields)).status).toBe(422);
		}
	});

	it.each(['', 'x'.repeat(256), 'a\u0007b', 'a\tb', 'folder/', MEGABYTE])(
		'the file name %j is refused',
		async (filename) => {
			const { status, body } = await encode({ container }, filename);
			// Some of them are no header of a form.
			expect([400, 422]).toContain(status);
			if (status === 422) expect(Object.keys(body.fields ?? {})).toEqual(['file.0.name']);
		},
	);

	it('a contact at what is no address is refused', async () => {
		const long = `${'x'.repeat(5000)}@a.b`;
		for (const email of ['ada', 'ada@', '*@a.b', 'a%00b@a.b', '%ff@a.b', '%zz@a.b', long]) {
			const path = `/users/${service.userId}/contacts/${email}`;
			const { api } = service;
			for (const { status } of [
				await api.get(path),
				await api.patch(path, {}),
				await api.delete(path),
			]) {
				expect([400, 404, 422]).toContain(status);
			}
		}
	});

	it.each([
		['malformed JSON', '{"opens": 1', [400]],
		['nothing', '', [400, 422]],
		['a list', '[]', [422]],
		['null', 'null', [422]],
		['bytes that are no UTF-8', Buffer.from('{"\xff":1}', 'latin1'), [400, 422]],
		['more than 4 MiB', `{"x":"${'x'.repeat(4 * 1024 * 1024)}"}`, [413]],
		['deep nesting', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, [400, 422]],
	])('a body of %s is refused', async (_, body, expected) => {
		const headers = { 'content-type': 'application/json' };
		for (const path of [drm, contact]) {
			expect(expected).toContain((await service.api.send('PATCH', path, { body, headers })).status);
		}
	});
});
