import { randomUUID } from 'node:crypto';
import type { ErrorBody, FileRequest, ServiceEvent } from '../support/api.mts';
import { addUser, createKey, describeService, startService, times } from '../support/service.mts';
import type { Service } from '../support/service.mts';

const ANNA = 'anna@example.com';
const OLIVE = 'olive@example.com';

type User = Awaited<ReturnType<typeof addUser>>;
type Response = FileRequest & ErrorBody;

let service: Service;
let max: User;

const create = async (request: object, headers = {}) =>
	await service.api.send<Response>('POST', `/users/${service.userId}/requests`, {
		body: { name: 'Documents', senders: [ANNA], ...request },
		headers,
	});
const read = async ({ uuid }: FileRequest) => await service.api.get<Response>(`/requests/${uuid}`);
const listNames = async (query = '') => {
	const path = `/users/${service.userId}/requests?limit=2${query}`;
	return (await service.api.getAll<FileRequest>(path)).map(({ name }) => name);
};

describeService('requests for files', () => {
	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: OLIVE, MAX_UPLOAD_BYTES: '2000000000' } });
		max = await addUser(service, 'max@example.com');
	});

	it('are created with what the owner says, and defaults', async () => {
		const { status, body } = await create({});
		expect([status, body]).toEqual([
			201,
			{
				uuid: expect.stringMatching(/^[\da-f-]{36}$/),
				name: 'Documents',
				owner_id: service.userId,
				created_date: expect.stringMatching(/Z$/),
				url: `${service.origin}/r/${body.uuid}`,
				senders: [ANNA],
				max_files: 100,
				max_bytes: 1_000_000_000,
				deliveries: 100,
				delivered: 0,
			},
		]);
		expect((await read(body)).body).toEqual(body);

		const wishes = {
			senders: ['Anna@Example.com', '*@example.org'],
			message: 'First line\nSecond line',
			time: { start: '2026-12-01', end: '2099-12-31' },
			...{ max_files: 1000, max_bytes: 2_000_000_000, deliveries: 1 },
		};
		const twice = { ...wishes, senders: [...wishes.senders, ANNA] };
		const { body: other } = await create(twice);
		expect(other).toMatchObject(wishes);
		expect((await service.api.get('/me')).body).toMatchObject({
			request_url: `${service.origin}/r/{requestId}`,
		});
		await service.api.delete(`/requests/${other.uuid}`);
		await service.api.delete(`/requests/${body.uuid}`);
	});

	it.each([
		[{ name: ' ' }, 'name', "must be: Text that isn't only spaces"],
		[{ senders: [] }, 'senders', 'must NOT have fewer than 1 items'],
		[
			{ senders: [ANNA, 'anna@-'] },
			'senders.1',
			'must be an email address, *@ with a domain, or *@*',
		],
		[{ message: 'x'.repeat(1001) }, 'message', 'must NOT have more than 1000 characters'],
		[{ message: 'a\u0007' }, 'message', expect.stringContaining('without control characters')],
		[{ time: { start: '2026-12-02', end: '2026-12-01' } }, 'time.end', "can't be before the start"],
		[{ max_files: 1001 }, 'max_files', 'must be <= 1000'],
		[{ max_bytes: 0 }, 'max_bytes', 'must be >= 1'],
		[
			{ max_bytes: 2_000_000_001 },
			'max_bytes',
			'must be at most 2000000000, which is as much as this service takes at once',
		],
		[{ deliveries: 0 }, 'deliveries', 'must be >= 1'],
		[{ recipients: [ANNA] }, 'recipients', "isn't a known field"],
	])('refuse %j', async (request, field, problem) => {
		const { status, body } = await create(request);
		expect([status, body.fields]).toEqual([422, { [field]: problem }]);
		expect(await listNames()).toEqual([]);
	});

	it('are listed in pages, by their name, and for their owner only', async () => {
		const names = times(5, (n) => `Nr. ${n}`);
		for (const name of names) await create({ name });
		expect(await listNames()).toEqual(names);
		expect(await listNames('&order=desc')).toEqual([...names].reverse());
		expect(await listNames('&name=nR.%203')).toEqual(['Nr. 3']);
		const [first] = (await service.api.get<FileRequest[]>(`/users/${service.userId}/requests`))
			.body;
		for (const [method, path] of [
			['GET', `/users/${service.userId}/requests`],
			['POST', `/users/${service.userId}/requests`],
			['GET', `/requests/${first.uuid}`],
			['DELETE', `/requests/${first.uuid}`],
			['GET', `/requests/${randomUUID()}`],
		]) {
			const body = method === 'POST' ? { name: 'Mine', senders: [ANNA] } : undefined;
			expect((await max.api.send(method, path, { body })).status).toBe(404);
		}
		expect((await max.api.get(`/users/${max.userId}/requests`)).body).toEqual([]);
		expect((await read(first)).status).toBe(200);
	});

	it('can be created again after a lost response, once', async () => {
		const key = { 'idempotency-key': randomUUID() };
		const answers = await Promise.all(times(5, async () => await create({ name: 'Once' }, key)));
		const done = answers.filter(({ status }) => status === 201);
		expect(answers.every(({ status }) => [201, 409].includes(status))).toBe(true);
		expect(new Set(done.map(({ body }) => body.uuid)).size).toBe(1);
		const again = await create({ name: 'Once' }, key);
		expect([again.body.uuid, again.headers['idempotency-replayed']]).toEqual([
			done[0].body.uuid,
			'true',
		]);
		expect((await create({ name: 'Other' }, key)).status).toBe(422);
		expect((await create({}, { 'idempotency-key': '' })).status).toBe(422);
		expect(await listNames('&name=Once')).toEqual(['Once']);
	});

	it('are closed by their owner; each step is an event', async () => {
		const { body: request } = await create({ name: 'Closed' });
		expect((await service.api.delete(`/requests/${request.uuid}`)).status).toBe(204);
		expect((await read(request)).status).toBe(404);
		expect((await service.api.delete(`/requests/${request.uuid}`)).status).toBe(404);
		const events = await service.api.getAll<ServiceEvent>(`/users/${service.userId}/events`);
		const about = { request_id: request.uuid, container_id: null, container_name: null };
		expect(events.filter(({ request_id }) => request_id === request.uuid)).toMatchObject([
			{ ...about, action: 'request.create', user: OLIVE, detail: { ip: '127.0.0.1' } },
			{ ...about, action: 'request.delete', user: OLIVE, detail: { ip: '127.0.0.1' } },
		]);
		expect((await service.run(['check'])).code).toBe(0);
	});

	it('are read with a key that only reads, and not with one that encodes', async () => {
		const { body: request } = await create({ name: 'Scope' });
		const reader = await createKey(service, OLIVE, ['--scope', 'read']);
		const encoder = await createKey(service, OLIVE, ['--scope', 'encode']);
		const statuses = async ({ api }: { api: Service['api'] }) => [
			(await api.get(`/requests/${request.uuid}`)).status,
			(await api.get(`/users/${service.userId}/requests?name=Scope`)).status,
			(await api.send('POST', `/users/${service.userId}/requests`, { body: request })).status,
			(await api.delete(`/requests/${request.uuid}`)).status,
		];
		expect(await statuses(reader)).toEqual([200, 200, 403, 403]);
		expect(await statuses(encoder)).toEqual([403, 403, 403, 403]);
	});

	it('that were changed outside of the service are used for nothing, and found by check', async () => {
		const { body: request } = await create({ name: 'Forged' });
		await service.change(`update requests set owner_id = '${max.userId}' where name = 'Forged'`);
		const { status, body } = await max.api.get<ErrorBody>(`/requests/${request.uuid}`);
		expect([status, body.code]).toEqual([500, 'seal_broken']);
		const { code, stdout } = await service.run(['check']);
		const problem = `Request ${request.uuid} can't be used: it was changed outside of the service.`;
		expect([code, stdout]).toEqual([1, expect.stringContaining(problem)]);
		expect((await max.api.delete(`/requests/${request.uuid}`)).status).toBe(204);
	});
});
