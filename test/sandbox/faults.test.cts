import { HOSTILE_BODY_NAMES } from '../../sandbox/index.cts';
import type { Fault } from '../../sandbox/index.cts';
import { hostileBody } from '../../sandbox/faults/hostileBodies.cts';
import { filePart, NAMED } from './support/api.cts';
import { useSandbox } from './support/sandbox.cts';

const running = useSandbox();
const RESET = /ECONNRESET|UND_ERR_SOCKET|EPIPE/;

const me = () => running.api.call('GET', '/me');
const codeOf = (attempt: Promise<unknown>) =>
	attempt.then(
		() => 'response',
		(error: Error & { code?: string }) => error.code ?? error.message,
	);
const statuses = async (count: number) => {
	const seen: number[] = [];
	for (let index = 0; index < count; index++) seen.push((await me()).status);
	return seen;
};
const upload = (bytes = 10) => running.api.encode([NAMED, filePart(Buffer.alloc(bytes))]);

describe('the requests that a fault applies to', () => {
	it('are the next one by default', async () => {
		const { sandbox } = running;
		sandbox.faults.add({ kind: 'status', status: 503 });
		expect(await statuses(3)).toEqual([503, 200, 200]);
		sandbox.faults.add({ kind: 'status', status: 503, times: 2 });
		expect(await statuses(4)).toEqual([503, 503, 200, 200]);
	});

	it('start with the nth and end after its times', async () => {
		const { sandbox } = running;
		const planned = sandbox.faults.add({ kind: 'status', status: 500, nth: 3, times: 2 });
		expect(await statuses(6)).toEqual([200, 200, 500, 500, 200, 200]);
		expect(planned).toMatchObject({ applied: 2 });
	});

	it('are selected by method and path as sent', async () => {
		const { api, sandbox } = running;
		const path = /\/contacts\/a%2Fb/g;
		sandbox.faults.add({ kind: 'status', status: 500, method: 'PATCH', path, times: Infinity });
		const contact = api.mine('/contacts/a%2Fb%40example.com');
		const body = {};
		expect((await api.call('PATCH', contact, { body })).status).toBe(500);
		expect((await api.call('PATCH', contact, { body })).status).toBe(500);
		expect((await api.call('PATCH', api.mine('/contacts/a@b'), { body })).status).toBe(200);
		expect((await api.call('GET', contact)).status).toBe(404);
	});

	it('are random, and the same for the same seed', async () => {
		const { sandbox } = running;
		const draw = async (seed: number) => {
			sandbox.faults.clear();
			const planned = sandbox.faults.add({ kind: 'status', status: 500, probability: 0.3, seed });
			const drawn = await statuses(60);
			expect(drawn.filter((status) => status === 500)).toHaveLength(planned.applied);
			return drawn;
		};
		const first = await draw(7);
		expect(first.filter((status) => status === 500).length).toBeGreaterThan(5);
		expect(first.filter((status) => status === 500).length).toBeLessThan(35);
		expect(await draw(7)).toEqual(first);
		expect(await draw(8)).not.toEqual(first);
	});

	it('have passed the key and the limit, except on arrival', async () => {
		const { api, sandbox } = running;
		sandbox.faults.add({ kind: 'status', status: 500 });
		expect((await api.call('GET', '/me', { apiKey: null })).status).toBe(401);
		expect((await me()).status).toBe(500);
		sandbox.faults.add({ kind: 'status', status: 500, when: 'arrival' });
		expect((await api.call('GET', '/me', { apiKey: null })).status).toBe(500);
		expect(sandbox.requests.map(({ fault }) => fault)).toEqual([undefined, 'status', 'status']);
	});
});

describe('responses', () => {
	it('have the status, body and headers of the fault, or the service’s own error', async () => {
		const { sandbox } = running;
		sandbox.faults.add({ kind: 'status', status: 503, headers: { 'retry-after': '7' } });
		const own = await me();
		expect(own).toMatchObject({ status: 503, headers: { 'retry-after': '7' } });
		expect(own.json).toEqual({ code: 'planned_fault', message: expect.any(String) });
		sandbox.faults.add({
			kind: 'status',
			status: 502,
			body: 'bad gateway',
			contentType: 'text/plain',
		});
		expect(await me()).toMatchObject({ status: 502, text: 'bad gateway' });
		sandbox.faults.add({ kind: 'body', body: '[1]', status: 201 });
		expect(await me()).toMatchObject({ status: 201, text: '[1]' });
	});

	it('are an HTML page, a redirect, truncated JSON, or of another type', async () => {
		const { sandbox } = running;
		sandbox.faults.add({ kind: 'webPage' });
		expect(await me()).toMatchObject({ status: 200, text: expect.stringMatching(/^<!DOCTYPE/) });
		for (const status of [302, 307, 308]) {
			sandbox.faults.add({ kind: 'redirect', location: 'https://elsewhere.example.com/', status });
			const headers = { location: 'https://elsewhere.example.com/' };
			expect(await me()).toMatchObject({ status, headers });
		}
		sandbox.faults.add({ kind: 'cutJson' });
		const cut = await me();
		expect([cut.status, cut.headers['content-type']]).toEqual([
			200,
			'application/json; charset=utf-8',
		]);
		expect(() => cut.json).toThrow(SyntaxError);
		sandbox.faults.add({ kind: 'wrongType', contentType: 'image/png' });
		const wrong = await me();
		expect(wrong.headers['content-type']).toBe('image/png');
		expect(wrong.json).toMatchObject({ id: sandbox.user.id });
	});

	it('repeat the secrets of the request', async () => {
		const { api, sandbox } = running;
		sandbox.faults.add({ kind: 'echo' });
		const manifest = { container: { name: 'x', password: 'open-sesame' } };
		const reply = await api.encode([
			{ ...NAMED, content: JSON.stringify(manifest) },
			filePart('x'),
		]);
		expect(reply.status).toBe(400);
		expect(reply.text).toContain(sandbox.apiKey);
		expect(reply.text).toContain('open-sesame');
		expect(sandbox.state.containers.size).toBe(0);
	});

	it.each(HOSTILE_BODY_NAMES)('are hostile: %s', async (body) => {
		const { sandbox } = running;
		sandbox.faults.add({ kind: 'hostile', body });
		const reply = await me();
		expect(reply.status).toBe(200);
		expect(Number(reply.headers['content-length'])).toBe(Buffer.byteLength(hostileBody(body)));
		if (body.startsWith('huge')) expect(reply.text.length).toBeGreaterThan(40 * 1024 * 1024);
	});
});

describe('connections', () => {
	it('are reset before the body is read', async () => {
		const { sandbox } = running;
		sandbox.faults.add({ kind: 'reset' });
		expect(await codeOf(upload(5_000_000))).toMatch(RESET);
		expect(sandbox.requests[0]).toMatchObject({ fault: 'reset', bytes: 0, aborted: false });
		expect(sandbox.requests[0].status).toBeUndefined();
		expect(sandbox.state.containers.size).toBe(0);
	});

	it('are reset during the body', async () => {
		const { sandbox } = running;
		sandbox.faults.add({ kind: 'reset', afterBytes: 1_000_000 });
		expect(await codeOf(upload(5_000_000))).toMatch(RESET);
		expect(sandbox.requests[0].bytes).toBeGreaterThanOrEqual(1_000_000);
		expect(sandbox.requests[0].bytes).toBeLessThan(2_000_000);
		expect(sandbox.state.containers.size).toBe(0);
	});

	it('are reset after the body, with no effect or with it', async () => {
		const { api, sandbox } = running;
		sandbox.faults.add({ kind: 'reset', when: 'body' });
		expect(await codeOf(upload())).toMatch(RESET);
		expect(sandbox.state.containers.size).toBe(0);
		expect(sandbox.requests[0].parts).toHaveLength(2);
		sandbox.faults.add({ kind: 'reset', when: 'effect', method: 'POST' });
		expect(await codeOf(upload())).toMatch(RESET);
		expect(sandbox.state.containers.size).toBe(1);
		sandbox.faults.add({ kind: 'reset', when: 'effect', method: 'PATCH' });
		const change = api.call('PATCH', api.mine('/contacts/a@example.com'), { body: {} });
		expect(await codeOf(change)).toMatch(RESET);
		expect(sandbox.state.contactsOf(sandbox.user.id).size).toBe(1);
	});

	it('end in the middle of the response: reset, or closed before the announced length', async () => {
		const { sandbox } = running;
		for (const kind of ['resetInResponse', 'halfResponse'] as const) {
			sandbox.faults.add({ kind });
			expect(await codeOf(me())).toMatch(/ECONNRESET|UND_ERR_SOCKET|other side closed|aborted/i);
		}
		expect(sandbox.requests.map(({ status, aborted }) => [status, aborted])).toEqual([
			[200, false],
			[200, false],
		]);
	});

	it('break errors too', async () => {
		const { api, sandbox } = running;
		sandbox.faults.add({ kind: 'cutJson' });
		const reply = await api.call('GET', '/containers/unknown');
		expect(reply.status).toBe(404);
		expect(() => reply.json).toThrow(SyntaxError);
	});
});

describe('slow responses', () => {
	it('stall before the headers or within the body, and arrive complete', async () => {
		const { sandbox } = running;
		for (const kind of ['stallHeaders', 'stallBody'] as const) {
			sandbox.faults.add({ kind, ms: 60 });
			expect((await me()).json).toMatchObject({ id: sandbox.user.id });
		}
		for (const { at, endedAt = 0 } of sandbox.requests)
			expect(endedAt - at).toBeGreaterThanOrEqual(59);
	});

	it.each<[string, Fault, number]>([
		['never arrives', { kind: 'never' }, 0],
		['stalls for a long time', { kind: 'stallHeaders', ms: 60_000, when: 'body' }, 0],
		['never arrives although the request has its effect', { kind: 'never', when: 'effect' }, 1],
	])('that %s makes the client give up', async (_name, fault, created) => {
		const { api, sandbox } = running;
		sandbox.faults.add(fault);
		const attempt = api.agent.request({
			origin: sandbox.origin,
			path: `/api/v1${api.mine('/contacts/a@example.com')}`,
			method: 'PATCH',
			headers: {
				authorization: `Bearer ${sandbox.apiKey}`,
				'content-type': 'application/json',
			},
			body: '{}',
			headersTimeout: 100,
		});
		expect(await codeOf(attempt)).toBe('UND_ERR_HEADERS_TIMEOUT');
		expect(sandbox.state.contactsOf(sandbox.user.id).size).toBe(created);
		expect(sandbox.requests[0]).toMatchObject({ fault: fault.kind, bytes: 2 });
		expect(sandbox.requests[0].status).toBeUndefined();
	});
});

it('planned faults end with clear and with reset', async () => {
	const { sandbox } = running;
	sandbox.faults.add({ kind: 'status', status: 500, times: Infinity });
	sandbox.faults.clear();
	expect(await statuses(1)).toEqual([200]);
	sandbox.faults.add({ kind: 'status', status: 500, times: Infinity });
	sandbox.reset();
	expect(await statuses(1)).toEqual([200]);
	expect(sandbox.faults.list()).toEqual([]);
});
