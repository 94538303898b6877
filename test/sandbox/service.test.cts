import { createHash } from 'node:crypto';
import type { Fault, SandboxSettings } from '../../sandbox/index.cts';
import { filePart, manifestPart, useSandbox, type Part } from './support/sandbox.cts';

const OTHER = { apiKey: 'key-of-another', email: 'another@example.com' };
const NAMED = manifestPart({ container: { name: 'Invoice' } });
const running = useSandbox({ users: [OTHER] });

describe('the key', () => {
	it('is checked first', async () => {
		for (const path of ['/me', '/containers/unknown', '/no/such/endpoint', '/containers/%zz']) {
			const reply = await running.api.call('GET', path, { apiKey: 'wrong' });
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
		sandbox.settings.requestsPerMinute = 1;
		expect((await api.call('GET', '/me')).status).toBe(200);
		const { status, headers } = await api.call('GET', '/me');
		expect(status).toBe(429);
		expect(Number(headers['retry-after'])).toBeGreaterThan(50);
		expect((await api.call('GET', '/me', OTHER)).status).toBe(200);
	});
});

describe('an upload', () => {
	it('creates a container, and is recorded', async () => {
		const { api, sandbox } = running;
		const drm = { dynamic: true, opens: 0, time: { start: '2026-02-28', end: '2026-02-28' } };
		const manifest = { container: { name: 'Invoice', password: 'secret', drm } };

		const reply = await api.encode(manifestPart(manifest), filePart('hello', 'Grüße "€.pdf'));

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
			type: 'text/plain',
			size: 5,
			sha256: createHash('sha256').update('hello').digest('hex'),
		});
	});

	it.each<[RegExp, Part[]]>([
		[/required property 'manifest.json'/, [filePart('x')]],
		[/required property 'file'/, [NAMED]],
		[/must be one part/, [NAMED, NAMED, filePart('x')]],
		[/additional properties: files/, [NAMED, filePart('x'), filePart('x', 'a', 'files')]],
		[/must be of type/, [NAMED, ['file', 'x']]],
		[/must be of type/, [['manifest.json', '{}'], filePart('x')]],
		[/required property 'name'/, [manifestPart({ container: {} }), filePart('x')]],
	])('is refused: %s', async (message, parts) => {
		const { api, sandbox } = running;
		const { status, json } = await api.encode(...parts);
		expect(json).toEqual({ code: 'invalid_request', message: expect.stringMatching(message) });
		expect(status).toBe(400);
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
	] as const)('that PATCH omits survive or not: %s', async (keys, rules) => {
		const { api, sandbox } = running;
		sandbox.settings.patchDrmKeys = keys;
		const { uuid } = sandbox.addContainer({ rules: { dynamic: true, downloadable: true } });
		const path = `/containers/${uuid}/drm`;

		expect((await api.call('PATCH', path, { body: { opens: 1 } })).json).toEqual(rules);
		expect((await api.call('GET', path)).json).toEqual(rules);
	});

	it.each<[object, object, number]>([
		[{ dynamic: false }, { opens: 1 }, 409],
		[{ dynamic: true }, { time: { start: '2026-02-02', end: '2026-02-01' } }, 400],
		[{ dynamic: true }, { opens: -1 }, 400],
		[{ dynamic: true }, { expires: 1 }, 400],
		[{ dynamic: true }, { time: { end: '2026-02-29' } }, 400],
	])('%j stay as they are for %j', async (rules, body, status) => {
		const { api, sandbox } = running;
		const container = sandbox.addContainer({ rules: { ...rules } });
		const reply = await api.call('PATCH', `/containers/${container.uuid}/drm`, { body });
		expect(reply.status).toBe(status);
		expect(container.rules).toEqual(rules);
	});
});

it.each(['absolute', 'relative'] as const)('a list has linked pages: %s', async (nextLink) => {
	const { api, sandbox } = running;
	Object.assign(sandbox.settings, { pageSize: 2, nextLink, containerList: 'data' });
	for (const name of ['A', 'B', 'C']) sandbox.addContainer({ name });

	const first = await api.call('GET', api.mine('/containers?tag=x'));
	const link = /^<([^>]+)>; rel="next"$/.exec(String(first.headers.link))?.[1] ?? '';
	const { pathname, search } = new URL(link, sandbox.origin);
	const last = await api.send('GET', pathname + search);

	expect(search).toContain('tag=x');
	const named = (name: string) =>
		expect.objectContaining({ container: expect.objectContaining({ name }) });
	expect(first.json).toEqual({ data: [named('A'), named('B')], count: 2 });
	expect(last.json).toEqual({ data: [named('C')], count: 1 });
	expect(last.headers.link).toBeUndefined();
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

describe('a fault', () => {
	const me = async () => await running.api.call('GET', '/me');

	it('applies to the nth request, and as often as it says', async () => {
		running.sandbox.faults.add({ kind: 'status', nth: 2, times: 2 });
		const statuses = [];
		for (let index = 0; index < 4; index += 1) statuses.push((await me()).status);
		expect(statuses).toEqual([200, 500, 500, 200]);
	});

	it('applies by method and path as sent, and after the key except on arrival', async () => {
		const { api, sandbox } = running;
		sandbox.faults.add({ kind: 'status', method: 'PATCH', path: /\/contacts\/a%2Fb/ });
		const contact = api.mine('/contacts/a%2Fb%40example.com');
		const body = {};
		expect((await api.call('GET', contact)).status).toBe(404);
		expect((await api.call('PATCH', contact, { body, apiKey: 'wrong' })).status).toBe(401);
		expect((await api.call('PATCH', contact, { body })).status).toBe(500);
		sandbox.faults.add({ kind: 'status', when: 'arrival' });
		expect((await api.call('GET', '/me', { apiKey: 'wrong' })).status).toBe(500);
	});

	// test/faults has the others.
	it.each<[Fault, object]>([
		[
			{ kind: 'status', status: 503, headers: { 'retry-after': '7' } },
			{ status: 503, headers: { 'retry-after': '7' }, json: { code: 'planned_fault' } },
		],
		[{ kind: 'cutJson' }, { status: 200, text: expect.stringMatching(/^\{"id":[^}]*$/) }],
		[{ kind: 'echo' }, { status: 400, text: expect.stringContaining('Bearer sandbox-') }],
		[
			{ kind: 'stallBody', ms: 60 },
			{ status: 200, json: { role: 'user' } },
		],
	])('makes this of a response: %j', async (fault, expected) => {
		const { sandbox } = running;
		sandbox.faults.add(fault);
		expect(await me()).toMatchObject(expected);
		const [{ at, endedAt = 0 }] = sandbox.requests;
		expect(endedAt - at).toBeGreaterThanOrEqual((fault.ms ?? 0) - 1);
	});

	it.each<[Fault, number]>([
		[{ kind: 'reset', afterBytes: 1_000_000 }, 0],
		[{ kind: 'reset', when: 'effect' }, 1],
		[{ kind: 'halfResponse' }, 1],
	])('ends the connection: %j, after %i containers', async (fault, created) => {
		const { api, sandbox } = running;
		sandbox.faults.add(fault);
		const upload = api.encode(NAMED, filePart(Buffer.alloc(3_000_000)));
		await expect(upload).rejects.toThrow(/ECONNRESET|EPIPE|other side closed|aborted/i);
		const [{ bytes }] = sandbox.requests;
		expect(bytes < 2_000_000).toBe(created === 0);
		expect(sandbox.state.containers.size).toBe(created);
	});
});
