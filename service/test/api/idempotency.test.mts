import { setTimeout as sleep } from 'node:timers/promises';
import { PassThrough } from 'node:stream';
import { randomUUID } from 'node:crypto';
import type { Container, Envelope, ErrorBody } from '../support/api.mts';
import { filePart, manifestPart, sendForm, toForm } from '../support/encode.mts';
import { addUser, describeService, startService, type Service } from '../support/service.mts';

const manifest = {
	container: { name: 'Once', downloadable: false, drm: { opens: 2, dynamic: true } },
};
const formOf = (value: unknown, content = 'Hello') => [
	manifestPart(value),
	filePart('a.txt', content),
];

describeService('Idempotency-Key', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService();
	});

	const encode = async (key: string, value: unknown = manifest, content?: string) =>
		await sendForm(service, formOf(value, content), { 'idempotency-key': key });
	const count = async () =>
		(await service.api.get<Container[]>(`/users/${service.userId}/containers?limit=1000`)).body
			.length;

	it('returns the first response again, and creates nothing', async () => {
		const key = randomUUID();
		const first = await encode(key);
		expect([first.status, first.headers['idempotency-replayed']]).toEqual([201, undefined]);
		const before = await count();
		const second = await encode(key, manifest, 'other files are not compared');
		expect([second.status, second.headers['idempotency-replayed']]).toEqual([201, 'true']);
		expect(second.body).toEqual(first.body);
		expect(await count()).toBe(before);
	});

	it('returns the first response after a restart', async () => {
		const key = randomUUID();
		const first = await encode(key);
		await service.restart();
		expect((await encode(key)).body).toEqual(first.body);
	});

	it('compares manifests as JSON', async () => {
		const key = randomUUID();
		await encode(key);
		const text =
			'{ "container":\n{ "drm": {"dynamic": true, "opens": 2.0}, "downloadable": false, "name": "\\u004fnce" } }';
		expect(await encode(key, text)).toMatchObject({ status: 201 });
		const other = await encode(key, { container: { ...manifest.container, name: 'Twice' } });
		expect(other).toMatchObject({ status: 422, body: { code: 'invalid' } });
	});

	it('is independent for each user', async () => {
		const ben = await addUser(service, 'ben@example.com');
		const key = randomUUID();
		const first = await encode(key);
		const { status, body, headers } = await sendForm(ben, formOf(manifest), {
			'idempotency-key': key,
		});
		expect([status, headers['idempotency-replayed']]).toEqual([201, undefined]);
		expect(body.container.uuid).not.toBe(first.body.container.uuid);
	});

	it('answers 409 while the first request runs', async () => {
		const key = randomUUID();
		const bytes = toForm(formOf(manifest, 'x'.repeat(100_000)));
		const stream = new PassThrough();
		stream.write(bytes.subarray(0, 50_000));
		const path = `/users/${service.userId}/containers/encode`;
		const first = service.api.send<Envelope & ErrorBody>('POST', path, {
			body: stream,
			headers: {
				'content-type': 'multipart/form-data; boundary=boundary-of-the-tests',
				'idempotency-key': key,
			},
		});
		await sleep(500);
		const second = await encode(key);
		expect(second).toMatchObject({ status: 409, body: { code: 'in_progress' } });
		expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
		stream.end(bytes.subarray(50_000));
		expect((await first).status).toBe(201);
		expect((await encode(key)).body).toEqual((await first).body);
	});

	it('creates one container for ten requests at once', async () => {
		const key = randomUUID();
		const before = await count();
		const responses = await Promise.all(Array.from({ length: 10 }, async () => await encode(key)));
		const statuses = responses.map(({ status }) => status);
		expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
		expect(statuses).toContain(201);
		expect(await count()).toBe(before + 1);
	});

	it('is free again after a request that failed', async () => {
		const key = randomUUID();
		expect((await encode(key, { container: { name: '' } })).status).toBe(422);
		const cut = toForm(formOf(manifest)).subarray(0, -40);
		expect((await sendForm(service, cut, { 'idempotency-key': key })).status).toBe(400);
		const { status, headers } = await encode(key);
		expect([status, headers['idempotency-replayed']]).toEqual([201, undefined]);
	});

	it('has at most 255 characters', async () => {
		expect((await encode('k'.repeat(255))).status).toBe(201);
		expect((await encode('k'.repeat(255))).headers['idempotency-replayed']).toBe('true');
		const { status } = await encode('k'.repeat(256));
		expect([400, 422]).toContain(status);
	});
});
