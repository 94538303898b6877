import { request } from 'undici';
import { createContainer, sendForm } from '../support/api.mts';
import type { Container, ErrorBody, ServiceEvent } from '../support/api.mts';
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
		const features = expect.arrayContaining(['etag', 'idempotency_key', 'events']);
		const expected = { id: service.userId, role: 'admin', email: 'olive@example.com', features };
		expect({ status, ...body }).toMatchObject({ status: 200, ...expected });
		expect((await ben.api.get('/me')).body).toMatchObject({ id: ben.userId, role: 'user' });
		expect((await ben.api.get('/me')).body).toMatchObject({ time_zone: 'UTC' });
		const { url, uuid } = container;
		const container_url = url.replace(uuid, '{containerId}');
		expect((await ben.api.get('/me')).body).toMatchObject({ container_url });
		const anyCapitals = { authorization: `bearer ${service.apiKey}` };
		expect((await service.api.get('/me', anyCapitals)).status).toBe(200);
	});

	it('GET /me names the time zone in which days begin and end', async () => {
		const elsewhere = await startService({ env: { TIME_ZONE: 'europe/berlin' } });
		const { body } = await elsewhere.api.get('/me');
		expect(body).toMatchObject({ time_zone: 'Europe/Berlin' });
	});

	it('answers 401 without a key that it knows, before it looks at anything else', async () => {
		const { dispatcher } = service.api;
		const keys = ['', `Bearer ec_${'A'.repeat(43)}`, 'Basic b2xpdmU6c2VjcmV0'];
		for (const authorization of [...keys, `Bearer ${'x'.repeat(10_000)}`]) {
			const headers = authorization ? { authorization } : {};
			for (const path of ['/me', `/containers/${container.uuid}`, '/containers/none']) {
				const { statusCode, body } = await request(service.baseUrl + path, { headers, dispatcher });
				const { code } = (await body.json()) as ErrorBody;
				expect([path, statusCode, code]).toEqual([path, 401, 'unauthorized']);
			}
		}
	});

	it("answers 404 for what belongs to somebody else, as for what doesn't exist", async () => {
		const unknown = '00000000-0000-4000-8000-000000000000';
		for (const [user, id] of [
			[service.userId, container.uuid],
			[unknown, unknown],
			['', 'not-an-id'],
		]) {
			const contact = `/users/${user}/contacts/ada@example.com`;
			const lists = ['containers', `containers/${id}`, 'contacts', 'events'];
			lists.push(`containers/${id}/events`);
			const responses = await Promise.all([
				...lists.map(async (list) => await ben.api.get(`/users/${user}/${list}`)),
				ben.api.get(contact),
				ben.api.patch(contact, {}),
				ben.api.delete(contact),
				sendForm({ ...ben, userId: user }, []),
				ben.api.get(`/containers/${id}`),
				ben.api.delete(`/containers/${id}`),
				ben.api.get(`/containers/${id}/drm`),
				ben.api.decode(id),
				ben.api.patch(`/containers/${id}/drm`, { opens: 1 }),
			]);
			const found = responses.map(({ status, body }) => `${status} ${body.code}`);
			expect(found).toEqual(found.map(() => '404 not_found'));
		}
		expect((await service.api.get(`/containers/${container.uuid}`)).status).toBe(200);
		const path = `/users/${ben.userId}/containers/${container.uuid}`;
		expect((await service.api.get(path)).status).toBe(404);
	});

	it('lets an admin act for everybody', async () => {
		const own = await createContainer({ api: service.api, userId: ben.userId });
		const ada = await addUser(service, 'ada@example.com', ['--admin']);
		for (const { api } of [ben, service, ada]) {
			const { body } = await api.get<Container>(`/containers/${own.uuid}`);
			expect(body.owner_id).toBe(ben.userId);
			const user = `/users/${ben.userId}`;
			expect(await api.getAll(`${user}/containers`)).toEqual([own]);
			for (const events of [`${user}/events`, `${user}/containers/${own.uuid}/events`]) {
				const listed = await api.getAll<ServiceEvent>(events);
				expect(listed.at(-1)).toMatchObject({ container_id: own.uuid });
			}
		}
		expect((await ada.api.delete(`/containers/${own.uuid}`)).status).toBe(204);
	});
});

describeService('HTTPS', () => {
	const send = async ({ baseUrl, apiKey }: Service, more: Record<string, string> = {}) => {
		const url = `${baseUrl.replace('https:', 'http:')}/me`;
		const headers = { authorization: `Bearer ${apiKey}`, ...more };
		const { statusCode, body } = await request(url, { headers });
		return [statusCode, ((await body.json()) as ErrorBody).code];
	};

	it('is required, also behind a proxy, whatever the key', async () => {
		const service = await startService({ env: { TLS: 'off', TRUST_PROXY: '127.0.0.1,::1' } });
		const refused = [400, 'https_required'];
		expect(await send(service)).toEqual(refused);
		expect(await send(service, { 'x-forwarded-proto': 'http' })).toEqual(refused);
		expect(await send(service, { authorization: 'Bearer wrong' })).toEqual(refused);
		expect(await send(service, { 'x-forwarded-proto': 'https' })).toEqual([200, undefined]);
		const untrusting = await startService({ env: { TLS: 'off' } });
		expect(await send(untrusting, { 'x-forwarded-proto': 'https' })).toEqual(refused);
		const direct = await send(await startService()).catch(() => ['cut off']);
		expect([400, 'cut off']).toContain(direct[0]);
	});
});
