import http from 'node:http';
import { useSandbox } from './support/sandbox.cts';

const OTHER = { apiKey: 'key-of-another', email: 'another@example.com' };
const ADMIN = { apiKey: 'key-of-the-administrator', role: 'administrator' };
const running = useSandbox({ users: [{}, OTHER, ADMIN] });

describe('the key', () => {
	it.each([
		['no header', undefined],
		['a wrong key', 'Bearer wrong'],
		['another scheme', 'Basic abc'],
		['an empty key', 'Bearer '],
	])('is checked before anything else: %s', async (_name, authorization) => {
		const { api, sandbox } = running;
		for (const [method, path] of [
			['GET', '/me'],
			['GET', '/containers/unknown'],
			['GET', '/no/such/endpoint'],
			['GET', '/users/%zz/contacts'],
			['PATCH', '/containers/unknown/drm'],
		] as const) {
			const reply = await api.call(method, path, {
				apiKey: null,
				...(authorization === undefined ? {} : { headers: { authorization } }),
				...(method === 'PATCH' ? { body: 'no json' } : {}),
			});
			expect([path, reply.status]).toEqual([path, 401]);
		}
		expect(sandbox.requests.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
	});

	it('returns its user, with other fields and without the key', async () => {
		const { api, sandbox } = running;
		const { json } = await api.call('GET', '/me');
		expect(json).toMatchObject({
			id: sandbox.user.id,
			role: 'user',
			created_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
			email: 'owner@example.com',
			first_name: expect.any(String),
			last_name: expect.any(String),
			mobile_phone: expect.any(String),
			root_org_id: expect.any(String),
			status: 'active',
		});
		expect(JSON.stringify(json)).not.toContain(sandbox.apiKey);
		expect((await api.call('GET', '/me', { apiKey: OTHER.apiKey })).json).toMatchObject({
			email: OTHER.email,
		});
	});
});

describe('what belongs to another user', () => {
	it.each([
		['forbidden', 403],
		['notFound', 404],
	] as const)('is refused: %s', async (otherUsers, status) => {
		const { api, sandbox } = running;
		sandbox.settings.otherUsers = otherUsers;
		const { uuid } = sandbox.addContainer({ rules: { dynamic: true } });
		const apiKey = OTHER.apiKey;
		for (const [method, path, body] of [
			['GET', `/containers/${uuid}`],
			['DELETE', `/containers/${uuid}`],
			['GET', `/containers/${uuid}/drm`],
			['PATCH', `/containers/${uuid}/drm`, { opens: 1 }],
			['GET', api.mine('/containers')],
			['GET', api.mine(`/containers/${uuid}`)],
			['GET', api.mine('/contacts')],
			['PATCH', api.mine('/contacts/a@example.com'), { company: 'x' }],
		] as const) {
			const reply = await api.call(method, path, { apiKey, body });
			expect([method, path, reply.status]).toEqual([method, path, status]);
		}
		expect(sandbox.state.containers.has(uuid)).toBe(true);
	});

	it('is accessible to an administrator', async () => {
		const { api, sandbox } = running;
		const { uuid } = sandbox.addContainer();
		const { apiKey } = ADMIN;
		expect((await api.call('GET', `/containers/${uuid}`, { apiKey })).status).toBe(200);
		expect((await api.call('GET', api.mine('/containers'), { apiKey })).json).toHaveLength(1);
	});

	it('is not found for an unknown user', async () => {
		const { api } = running;
		expect((await api.call('GET', '/users/nobody/containers')).status).toBe(404);
	});
});

describe('HTTPS', () => {
	it('is required: plain HTTP on the port gets no response', async () => {
		const { sandbox } = running;
		const attempt = new Promise((resolve, reject) => {
			http
				.get(`http://127.0.0.1:${sandbox.port}/api/v1/me`, (response) => {
					response.resume();
					resolve(response.statusCode);
				})
				.on('error', reject);
		});
		await expect(attempt).rejects.toThrow(/hang up|ECONNRESET/);
		expect(sandbox.requests).toEqual([]);
	});
});

describe('paths', () => {
	it('without an endpoint are 404, and 400 when they are malformed', async () => {
		const { api } = running;
		expect((await api.call('GET', '/nothing')).status).toBe(404);
		expect((await api.call('PUT', '/me', { body: {} })).status).toBe(400);
		expect((await api.call('DELETE', '/me')).status).toBe(404);
		expect((await api.call('GET', '/users/%zz/contacts')).status).toBe(400);
	});

	it('outside the API show the HTML page of the portal, or 404 when it is off', async () => {
		const { api, sandbox } = running;
		const page = await api.call('GET', '/../../index', { apiKey: null });
		expect(page.status).toBe(401);
		expect(sandbox.requests.at(-1)?.path).toBe('/api/v1/../../index');
		const outside = await fetchOutside();
		expect(outside).toMatchObject({ status: 200, type: expect.stringContaining('text/html') });
		sandbox.settings.portal = false;
		expect(await fetchOutside()).toMatchObject({ status: 404 });
	});

	async function fetchOutside() {
		const { api, sandbox } = running;
		const response = await api.agent.request({
			origin: sandbox.origin,
			path: '/portal',
			method: 'GET',
		});
		await response.body.dump();
		return { status: response.statusCode, type: response.headers['content-type'] };
	}

	it('are decoded exactly once and recorded as sent', async () => {
		const { api, sandbox } = running;
		for (const email of [
			'a+b@example.com',
			'a/b@example.com',
			'50%25@example.com',
			'ü€@exämple.com',
			'..@x',
		]) {
			const path = api.mine(`/contacts/${encodeURIComponent(email)}`);
			expect((await api.call('PATCH', path, { body: { company: 'x' } })).status).toBe(200);
			expect(sandbox.requests.at(-1)?.path).toBe(`/api/v1${path}`);
		}
		expect([...sandbox.state.contactsOf(sandbox.user.id).keys()]).toEqual([
			'a+b@example.com',
			'a/b@example.com',
			'50%25@example.com',
			'ü€@exämple.com',
			'..@x',
		]);
		const long = `${'a'.repeat(1000)}@example.com`;
		expect((await api.call('PATCH', api.mine(`/contacts/${long}`), { body: {} })).status).toBe(200);
	});
});
