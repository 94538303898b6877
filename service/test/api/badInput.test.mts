import {
	createContainer,
	filePart,
	manifestPart,
	sendForm,
	type ApiResponse,
	type ErrorBody,
} from '../support/api.mts';
import { describeService, startService, type Service } from '../support/service.mts';

const MEGABYTE = 'x'.repeat(1_000_000);
const controls = ['a\u0000b', 'a\u0007b', '\ud800'];
const words = (text: string) => text.split(' ');
const wrong = words('ada@* ada@-b.c');
const addresses = [7, '', 'a @b.c', `${MEGABYTE}@example.com`, 'a\u0000b', 'ada', ...wrong];
const days = [7, '', MEGABYTE, ...words('2026-02-30 01.02.2026 2026-01-01T00:00:00Z')];

/** Values that a rule can't have, by the path of its field. Those of an address or a range are in tests of their own. */
const rules: Record<string, unknown[]> = {
	dynamic: ['true'],
	opens: [0, 1.5, 2_147_483_648],
	recipients: ['ada@example.com'],
	'recipients.0': [...addresses, null],
	'geo.allow': ['DE', []],
	'geo.allow.0.country': ['', 'XX', 'D\u0000'],
	ip: [{}],
	'ip.allow.0': ['10.1', '10.0.0.9-10.0.0.1'],
	'ip.block.0': ['', '10.0.0.0/33', null, MEGABYTE],
	'time.start': days,
	...{ owner: ['x'], 'time.from': ['2026-01-01'] },
};
const manifests: Record<string, unknown[]> = {
	container: ['text', null, {}],
	'container.name': [7, '', ' ', 'x'.repeat(501), 'a\nb', ...controls],
	'container.password': ['', 'x'.repeat(1001), ...controls],
	'container.recipients.0': addresses,
	files: [[]],
	...{ 'container.title': ['x'], extra: ['x'] },
};
const contacts: Record<string, unknown[]> = {
	first_name: [1, 'x'.repeat(10_001), 'a\nb', ...controls],
	email: addresses,
	note: [{}, 'x'.repeat(10_001), ...controls],
};

/** `a.0.b` and 1 → `{ a: [{ b: 1 }] }` */
const nest = (path: string, value: unknown) =>
	path
		.split('.')
		.reverse()
		.reduce((inner, key) => (key === '0' ? [inner] : { [key]: inner }), value);

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
	const expectNamed = ({ status, body }: ApiResponse<ErrorBody>, field: string, value: unknown) => {
		const named = Object.keys(body.fields ?? {});
		const isNamed = named.some((key) => `${key}.`.startsWith(`${field}.`));
		const text = JSON.stringify(value).slice(0, 40);
		const found = [text, status, body.code, isNamed ? field : named];
		expect(found).toEqual([text, 422, 'invalid', field]);
	};
	const encode = async (manifest: unknown, filename = 'a.txt') =>
		await sendForm(service, [manifestPart(manifest), filePart(filename, 'x')]);
	const container = { name: 'Test' };

	it.each(Object.keys(manifests))('%s of a manifest is 422', async (field) => {
		const [top, ...rest] = field.split('.');
		for (const value of manifests[field]) {
			const inner = rest.length > 0 ? (nest(rest.join('.'), value) as object) : value;
			const inside = rest.length > 0 ? { ...container, ...(inner as object) } : inner;
			expectNamed(await encode({ container, [top]: inside }), field, value);
		}
	});

	it('a refusal says which form a text must have', async () => {
		for (const [change, form] of [
			[{ name: ' ' }, "Text that isn't only spaces"],
			[{ name: 'a\nb' }, 'Text without control characters'],
			[{ recipients: ['Ada <ada@example.com>'] }, 'An email address; '],
		] as const) {
			const { body } = await encode({ container: { ...container, ...change } });

			expect(body.message).toContain(`must be: ${form}`);
		}
	});

	it.each(Object.keys(rules))('the rule %s is 422', async (field) => {
		for (const value of rules[field]) {
			const change = nest(field, value) as object;
			expectNamed(await service.api.patch(drm, change), field, value);
			const manifest = { container: { ...container, drm: change } };
			expectNamed(await encode(manifest), `container.drm.${field}`, value);
		}
	});

	it.each(Object.keys(contacts))('%s of a contact is 422', async (field) => {
		for (const value of contacts[field]) {
			expectNamed(await service.api.patch(contact, { [field]: value }), field, value);
		}
	});

	it('a manifest that is no object, a later entry, days in the wrong order and too many fields are 422', async () => {
		for (const value of ['"text"', 'null', '[]']) {
			expectNamed(await encode(value), 'manifest', value);
		}
		const time = { start: '2026-02-02', end: '2026-02-01' };
		expectNamed(await service.api.patch(drm, { time }), 'time.end', time);
		const ip = { block: ['::1', '10.1'] };
		expectNamed(await service.api.patch(drm, { ip }), 'ip.block.1', ip);
		const names = Array.from({ length: 101 }, (_, n) => `field${n}`);
		for (const list of [names, ['n'.repeat(101)], ['a\nb'], ['']]) {
			const fields = Object.fromEntries(list.map((own) => [own, 'x']));
			expect((await service.api.patch(contact, fields)).status).toBe(422);
		}
	});

	it('the name of a file is refused', async () => {
		for (const filename of ['', 'x'.repeat(256), 'a\u0007b', 'a\tb', 'folder/', MEGABYTE]) {
			const { status, body } = await encode({ container }, filename);
			// Some of them are no header of a form.
			expect([400, 422]).toContain(status);
			if (status === 422) expect(Object.keys(body.fields ?? {})).toEqual(['file.0.name']);
		}
	});

	it.each([
		['malformed JSON', '{"opens": 1', [400]],
		['a list', '[]', [422]],
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
