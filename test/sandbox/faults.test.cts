import type { Fault, FaultKind } from '../../sandbox/index.cts';
import { filePart, NAMED, useSandbox } from './support/sandbox.cts';

const running = useSandbox();
const CLOSED = /ECONNRESET|UND_ERR_SOCKET|EPIPE|other side closed|aborted/i;

const me = async () => await running.api.call('GET', '/me');
const codeOf = (attempt: Promise<unknown>) =>
	attempt.then(
		() => 'response',
		(error: Error & { code?: string }) => error.code ?? error.message,
	);

describe('a fault applies', () => {
	it('to the nth request, and as often as it says', async () => {
		running.sandbox.faults.add({ kind: 'status', status: 500, nth: 2, times: 2 });
		const statuses = [];
		for (let index = 0; index < 4; index += 1) statuses.push((await me()).status);
		expect(statuses).toEqual([200, 500, 500, 200]);
		expect(running.sandbox.faults.list()).toMatchObject([{ matched: 3, applied: 2 }]);
	});

	it('by method and path as sent', async () => {
		const { api, sandbox } = running;
		const path = /\/contacts\/a%2Fb/;
		sandbox.faults.add({ kind: 'status', status: 500, method: 'PATCH', path });
		const contact = api.mine('/contacts/a%2Fb%40example.com');
		const body = {};
		expect((await api.call('GET', contact)).status).toBe(404);
		expect((await api.call('PATCH', api.mine('/contacts/a@b'), { body })).status).toBe(200);
		expect((await api.call('PATCH', contact, { body })).status).toBe(500);
	});

	it('after the key, except on arrival', async () => {
		const { api, sandbox } = running;
		sandbox.faults.add({ kind: 'status', status: 500 });
		expect((await api.call('GET', '/me', { apiKey: null })).status).toBe(401);
		expect((await me()).status).toBe(500);
		sandbox.faults.add({ kind: 'status', status: 500, when: 'arrival' });
		expect((await api.call('GET', '/me', { apiKey: null })).status).toBe(500);
	});
});

it.each<[FaultKind, object]>([
	[
		{ kind: 'status', status: 503, headers: { 'retry-after': '7' } },
		{ status: 503, headers: { 'retry-after': '7' }, json: { code: 'planned_fault' } },
	],
	[
		{ kind: 'status', status: 502, body: 'bad' },
		{ status: 502, text: 'bad' },
	],
	[
		{ kind: 'body', body: '[1]', status: 201 },
		{ status: 201, json: [1] },
	],
	[{ kind: 'webPage' }, { status: 200, text: expect.stringMatching(/^<!DOCTYPE/) }],
	[
		{ kind: 'redirect', location: '/x' },
		{ status: 302, headers: { location: '/x' } },
	],
	[{ kind: 'cutJson' }, { status: 200, text: expect.stringMatching(/^\{"id":[^}]*$/) }],
	[
		{ kind: 'wrongType', contentType: 'image/png' },
		{ headers: { 'content-type': 'image/png' }, json: { role: 'user' } },
	],
	[{ kind: 'echo' }, { status: 400, text: expect.stringContaining('Bearer sandbox-') }],
	[
		{ kind: 'stallHeaders', ms: 60 },
		{ status: 200, json: { role: 'user' } },
	],
	[
		{ kind: 'stallBody', ms: 60 },
		{ status: 200, json: { role: 'user' } },
	],
])('a response under %j', async (fault, expected) => {
	const { sandbox } = running;
	sandbox.faults.add(fault);
	expect(await me()).toMatchObject(expected);
	const [{ at, endedAt = 0 }] = sandbox.requests;
	if ('ms' in fault) expect(endedAt - at).toBeGreaterThanOrEqual(59);
});

it.each<[Fault, number]>([
	[{ kind: 'reset' }, 0],
	[{ kind: 'reset', afterBytes: 1_000_000 }, 0],
	[{ kind: 'reset', when: 'body' }, 0],
	[{ kind: 'reset', when: 'effect' }, 1],
	[{ kind: 'resetInResponse' }, 1],
	[{ kind: 'halfResponse' }, 1],
])('a connection ends under %j after %i containers', async (fault, created) => {
	const { api, sandbox } = running;
	sandbox.faults.add(fault);
	expect(await codeOf(api.encode(NAMED, filePart(Buffer.alloc(3_000_000))))).toMatch(CLOSED);
	const [{ bytes }] = sandbox.requests;
	if (fault.kind === 'reset' && fault.when === undefined) expect(bytes).toBeLessThan(2_000_000);
	expect(sandbox.state.containers.size).toBe(created);
});

it.each([
	['body', 0],
	['effect', 1],
] as const)(
	'no response arrives under never, at %s',
	async (when, created) => {
		const { api, sandbox } = running;
		sandbox.faults.add({ kind: 'never', when });
		const attempt = api.call('PATCH', api.mine('/contacts/a@example.com'), { body: {} });
		expect(await codeOf(attempt)).toBe('UND_ERR_HEADERS_TIMEOUT');
		expect(sandbox.state.contactsOf(sandbox.user.id).size).toBe(created);
	},
	20_000,
);
