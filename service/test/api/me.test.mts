import { request } from 'undici';
import type { Container, ErrorBody } from '../support/api.mts';
import { createContainer, sendForm } from '../support/encode.mts';
import { addUser, describeService, startService, type Service } from '../support/service.mts';

describeService('keys and users', () => {
	let service: Service;
	let ben: Awaited<ReturnType<typeof addUser>>;
	let container: Container;

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
		ben = await addUser(service, 'ben@example.com');
		container = await createContainer(service);
	});

	it('GET /me returns the user of the key, and what the service can do', async () => {
		const { status, body } = await service.api.get('/me');
		expect(status).toBe(200);
		expect(body).toMatchObject({
			id: service.userId,
			role: 'admin',
			email: 'olive@example.com',
			created_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
			features: expect.arrayContaining(['etag', 'idempotency_key', 'events']),
		});
		expect((await ben.api.get('/me')).body).toMatchObject({ id: ben.userId, role: 'user' });
	});

	it.each([
		['no key', {}],
		['an unknown key', { authorization: `Bearer ec_${'A'.repeat(43)}` }],
		['the scheme Basic', { authorization: 'Basic b2xpdmU6c2VjcmV0' }],
		['an empty key', { authorization: 'Bearer ' }],
		['a very long key', { authorization: `Bearer ${'x'.repeat(10_000)}` }],
	])('answers 401 to %s, before it looks at anything else', async (_, headers) => {
		const paths = ['/me', `/containers/${container.uuid}`, '/containers/unknown', '/unknown'];
		for (const path of paths) {
			const response = await request(service.baseUrl + path, {
				headers,
				dispatcher: service.api.dispatcher,
			});
			const body = (await response.body.json()) as ErrorBody;
			expect([path, response.statusCode, body.code]).toEqual([path, 401, 'unauthorized']);
		}
	});

	it('accepts the scheme in any capitals', async () => {
		const { status } = await service.api.get('/me', { authorization: `bearer ${service.apiKey}` });
		expect(status).toBe(200);
	});

	it('answers 404 in JSON to an unknown path and an unknown method', async () => {
		expect(await service.api.get('/unknown')).toMatchObject({
			status: 404,
			body: { code: 'not_found' },
		});
		expect((await service.api.send('PUT', '/me')).status).toBeGreaterThanOrEqual(404);
	});

	it("answers 404 for what belongs to somebody else, as for what doesn't exist", async () => {
		const unknown = '00000000-0000-4000-8000-000000000000';
		for (const [user, id] of [
			[service.userId, container.uuid],
			[unknown, unknown],
			['', unknown],
			['not-an-id', 'not-an-id'],
		]) {
			const responses = [
				await ben.api.get(`/users/${user}/containers`),
				await ben.api.get(`/users/${user}/containers/${id}`),
				await ben.api.get(`/users/${user}/contacts`),
				await ben.api.get(`/users/${user}/contacts/ada@example.com`),
				await ben.api.patch(`/users/${user}/contacts/ada@example.com`, {}),
				await ben.api.delete(`/users/${user}/contacts/ada@example.com`),
				await ben.api.get(`/users/${user}/events`),
				await ben.api.get(`/users/${user}/containers/${id}/events`),
				await sendForm({ ...ben, userId: user }, []),
				await ben.api.get(`/containers/${id}`),
				await ben.api.delete(`/containers/${id}`),
				await ben.api.get(`/containers/${id}/drm`),
				await ben.api.patch(`/containers/${id}/drm`, { opens: 1 }),
			];
			expect(responses.map(({ status, body }) => [status, body.code])).toEqual(
				responses.map(() => [404, 'not_found']),
			);
		}
		expect((await service.api.get(`/containers/${container.uuid}`)).status).toBe(200);
	});

	it("answers 404 for a container under another user's ID", async () => {
		const path = `/users/${ben.userId}/containers/${container.uuid}`;
		expect((await service.api.get(path)).status).toBe(404);
	});

	it('lets an admin act for everybody', async () => {
		const own = await createContainer(
			{ api: service.api, userId: ben.userId },
			{ name: 'For Ben' },
		);
		expect(own.owner_id).toBe(ben.userId);
		const ada = await addUser(service, 'ada@example.com', ['--admin']);
		for (const { api } of [ben, service, ada]) {
			expect(await api.get(`/containers/${own.uuid}`)).toMatchObject({
				status: 200,
				body: { name: 'For Ben' },
			});
			expect((await api.get<Container[]>(`/users/${ben.userId}/containers`)).body).toHaveLength(1);
		}
		expect((await ada.api.delete(`/containers/${own.uuid}`)).status).toBe(204);
	});
});

describeService('HTTPS', () => {
	it('refuses plain HTTP behind a proxy, whatever the key', async () => {
		const service = await startService({ env: { TLS: 'off', TRUST_PROXY: '127.0.0.1,::1' } });
		const url = `${service.baseUrl.replace('https:', 'http:')}/me`;
		const headers = { authorization: `Bearer ${service.apiKey}` };
		const send = async (more: Record<string, string>) => {
			const { statusCode, body } = await request(url, { headers: { ...headers, ...more } });
			return [statusCode, ((await body.json()) as ErrorBody).code];
		};
		expect(await send({})).toEqual([400, 'https_required']);
		expect(await send({ 'x-forwarded-proto': 'http' })).toEqual([400, 'https_required']);
		expect(await send({ authorization: 'Bearer wrong' })).toEqual([400, 'https_required']);
		expect(await send({ 'x-forwarded-proto': 'https' })).toEqual([200, undefined]);
	});

	it("doesn't believe a proxy that it doesn't trust", async () => {
		const service = await startService({ env: { TLS: 'off' } });
		const { statusCode } = await request(`${service.baseUrl.replace('https:', 'http:')}/me`, {
			headers: { authorization: `Bearer ${service.apiKey}`, 'x-forwarded-proto': 'https' },
		});
		expect(statusCode).toBe(400);
	});

	it("doesn't answer the API to plain HTTP on its own port", async () => {
		const service = await startService();
		const url = `${service.baseUrl.replace('https:', 'http:')}/me`;
		const sent = request(url, { headers: { authorization: `Bearer ${service.apiKey}` } });
		expect(
			await sent.then(
				({ statusCode }) => statusCode,
				() => 400,
			),
		).toBe(400);
	});
});
