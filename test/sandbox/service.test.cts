import { createHash } from 'node:crypto';
import type { SandboxSettings } from '../../sandbox/index.cts';
import { filePart, manifestPart, NAMED, useSandbox, type Part } from './support/sandbox.cts';

const OTHER = { apiKey: 'key-of-another', email: 'another@example.com' };
const running = useSandbox({ users: [{}, OTHER] });

describe('the key', () => {
	it.each([undefined, 'Bearer wrong', 'Basic abc'])('is checked first: %s', async (given) => {
		const { api } = running;
		const headers = given === undefined ? undefined : { authorization: given };
		for (const path of ['/me', '/containers/unknown', '/no/such/endpoint', '/containers/%zz']) {
			const reply = await api.call('GET', path, { apiKey: null, headers });
			expect([path, reply.status]).toEqual([path, 401]);
		}
	});

	it.each([
		['forbidden', 403],
		['notFound', 404],
	] as const)('has no access to what belongs to others: %s', async (otherUsers, status) => {
		const { api, sandbox } = running;
		sandbox.settings.otherUsers = otherUsers;
		const { uuid } = sandbox.addContainer({ rules: { dynamic: true } });
		for (const path of [`/containers/${uuid}/drm`, api.mine('/containers')]) {
			expect((await api.call('GET', path, OTHER)).status).toBe(status);
		}
		expect((await api.call('DELETE', `/containers/${uuid}`, OTHER)).status).toBe(status);
		expect(sandbox.state.containers.has(uuid)).toBe(true);
	});

	it('has a limit of its own, and 429 tells when to retry', async () => {
		const { api, sandbox } = running;
		sandbox.settings.rateLimit = { perMinute: 2 };
		const statuses = [];
		for (let index = 0; index < 3; index += 1) {
			statuses.push((await api.call('GET', '/me')).status);
		}
		expect(statuses).toEqual([200, 200, 429]);
		const { headers } = await api.call('GET', '/me');
		expect(Number(headers['retry-after'])).toBeGreaterThan(50);
		expect((await api.call('GET', '/me', OTHER)).status).toBe(200);
	});
});

describe('an upload', () => {
	const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');

	it('creates a container, and is recorded', async () => {
		const { api, sandbox } = running;
		const drm = { dynamic: true, opens: 0, time: { start: '2026-02-28', end: '2026-02-28' } };
		const manifest = { container: { name: 'Invoice', password: 'secret', drm } };

		const reply = await api.encode(manifestPart(manifest), filePart('hello', 'Grüße %22€.pdf'));

		expect(reply.status).toBe(200);
		expect(reply.text).not.toContain('secret');
		const [stored] = sandbox.state.containers.values();
		expect(stored).toMatchObject({ name: 'Invoice', manifest, rules: drm });
		const [received] = sandbox.requests;
		expect(received).toMatchObject({ operationId: 'encodeFiles', status: 200, body: manifest });
		expect(received.bytes).toBe(Number(received.headers['content-length']));
		expect(received.parts?.[1]).toEqual({
			name: 'file',
			filename: 'Grüße "€.pdf',
			disposition: 'form-data; name="file"; filename="Grüße %22€.pdf"',
			type: 'text/plain',
			size: 5,
			sha256: sha256('hello'),
		});
	});

	it.each<[RegExp, Part[]]>([
		[/manifest.json is missing/, [filePart('x')]],
		[/file is missing/, [NAMED]],
		[/must be one part/, [NAMED, NAMED, filePart('x')]],
		[/unknown key: files/, [NAMED, filePart('x'), filePart('x', 'a', 'files')]],
		[/no filename/, [NAMED, { ...filePart('x', ''), content: '' }]],
		[/not form-data/, [NAMED, filePart('x'), { head: 'X: y', content: '' }]],
		[/is not JSON/, [manifestPart('{"container":'), filePart('x')]],
		[/container.name is missing/, [manifestPart({ container: {} }), filePart('x')]],
	])('is refused: %s', async (message, parts) => {
		const { api, sandbox } = running;
		const reply = await api.encode(...parts);
		expect(reply.status).toBe(400);
		expect(reply.json).toEqual({
			code: 'invalid_request',
			message: expect.stringMatching(message),
		});
		expect(sandbox.state.containers.size).toBe(0);
	});

	it('that is too large gets 413 before it is complete', async () => {
		const { api, sandbox } = running;
		sandbox.settings.maxBodyBytes = 1000;
		const outcome = await api.encode(NAMED, filePart(Buffer.alloc(5_000_000))).then(
			({ status }) => status,
			() => 'connection closed',
		);
		expect([413, 'connection closed']).toContain(outcome);
		expect(sandbox.requests[0].bytes).toBeLessThan(1_000_000);
	});
});

describe('rules', () => {
	it.each([
		['merge', { opens: 1, downloadable: true, dynamic: true }],
		['replace', { opens: 1, dynamic: false }],
	] as const)(
		'are changed by PATCH, which omitted ones survive or not: %s',
		async (keys, rules) => {
			const { api, sandbox } = running;
			sandbox.settings.patchDrmKeys = keys;
			const { uuid } = sandbox.addContainer({ rules: { dynamic: true, downloadable: true } });
			const path = `/containers/${uuid}/drm`;

			expect((await api.call('PATCH', path, { body: { opens: 1 } })).json).toEqual(rules);
			expect((await api.call('GET', path)).json).toEqual(rules);
		},
	);

	it.each([
		['dynamic false', { dynamic: false }, { opens: 1 }, 409],
		['a wrong rule', { dynamic: true }, { opens: -1 }, 400],
		[
			'a wrong window',
			{ dynamic: true },
			{ time: { start: '2026-02-02', end: '2026-02-01' } },
			400,
		],
	])('stay as they are for %s', async (_why, rules, body, status) => {
		const { api, sandbox } = running;
		const container = sandbox.addContainer({ rules });
		const reply = await api.call('PATCH', `/containers/${container.uuid}/drm`, { body });
		expect(reply.status).toBe(status);
		expect(container.rules).toEqual(rules);
	});
});

describe('a list', () => {
	it.each(['absolute', 'relative'] as const)('has pages that are linked: %s', async (nextLink) => {
		const { api, sandbox } = running;
		Object.assign(sandbox.settings, { pageSize: 2, nextLink, containerList: 'data' });
		for (const name of ['A', 'B', 'C']) sandbox.addContainer({ name });

		const first = await api.call('GET', api.mine('/containers?tag=x'));
		const link = /^<([^>]+)>; rel="next"$/.exec(String(first.headers.link))?.[1] ?? '';
		const { pathname, search } = new URL(link, sandbox.origin);
		const last = await api.send('GET', pathname + search);

		expect(search).toContain('tag=x');
		const names = [first, last].map(({ json }) =>
			(json as { data: Array<{ container: { name: string } }> }).data.map(
				({ container }) => container.name,
			),
		);
		expect(names).toEqual([['A', 'B'], ['C']]);
		expect(last.headers.link).toBeUndefined();
	});
});

it.each<[Partial<SandboxSettings>, number, string]>([
	[{}, 204, ''],
	[{ deleteResponse: 'message' }, 200, '{"message":"The contact is deleted"}'],
	[{ deleteResponse: 'text', statuses: { deleteContact: 202 } }, 202, 'The contact is deleted'],
])('a response has the form that the settings ask for: %j', async (settings, status, text) => {
	const { api, sandbox } = running;
	Object.assign(sandbox.settings, settings);
	sandbox.addContact('a+b@example.com');
	const path = api.mine('/contacts/a%2Bb%40example.com');
	expect(await api.call('DELETE', path)).toMatchObject({ status, text });
	expect((await api.call('DELETE', path)).status).toBe(404);
});
