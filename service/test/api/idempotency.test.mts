import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { filePart, formType, manifestPart, sendForm, toForm } from '../support/encode.mts';
import { addUser, describeService, startService, type Service } from '../support/service.mts';

const manifest = {
	container: { name: 'Once', downloadable: false, drm: { opens: 2, dynamic: true } },
};
const toParts = (value: unknown, content = 'Hello') => [
	manifestPart(value),
	filePart('a', content),
];

describeService('Idempotency-Key', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService();
	});

	const encode = async (key: string, value: unknown = manifest, content?: string) =>
		await sendForm(service, toParts(value, content), { 'idempotency-key': key });
	const count = async () =>
		(await service.api.getAll(`/users/${service.userId}/containers`)).length;

	it('returns the first response again, also after a restart, and creates nothing', async () => {
		const key = randomUUID();
		const first = await encode(key);
		expect([first.status, first.headers['idempotency-replayed']]).toEqual([201, undefined]);
		const before = await count();
		for (const content of ['Hello', 'other files are not compared']) {
			const { status, headers, body } = await encode(key, manifest, content);
			expect([status, headers['idempotency-replayed'], body]).toEqual([201, 'true', first.body]);
			await service.restart();
		}
		expect(await count()).toBe(before);
	});

	it('compares manifests as JSON', async () => {
		const key = randomUUID();
		await encode(key);
		const text = `{ "container":
			{ "drm": {"dynamic": true, "opens": 2.0}, "downloadable": false, "name": "\\u004fnce" } }`;
		expect((await encode(key, text)).status).toBe(201);
		const other = await encode(key, { container: { ...manifest.container, name: 'Twice' } });
		expect(other).toMatchObject({ status: 422, body: { code: 'invalid' } });
	});

	it('is independent for each user', async () => {
		const ben = await addUser(service, 'ben@example.com');
		const key = randomUUID();
		const first = await encode(key);
		const { status, body } = await sendForm(ben, toParts(manifest), { 'idempotency-key': key });
		expect([status, body.container.owner_id]).toEqual([201, ben.userId]);
		expect(body.container.uuid).not.toBe(first.body.container.uuid);
	});

	it('answers 409 while the first request runs', async () => {
		const key = randomUUID();
		const bytes = toForm(toParts(manifest, 'x'.repeat(100_000)));
		const stream = new PassThrough();
		stream.write(bytes.subarray(0, 50_000));
		const first = service.api.send('POST', `/users/${service.userId}/containers/encode`, {
			body: stream,
			headers: { ...formType, 'idempotency-key': key },
		});
		await sleep(500);
		const second = await encode(key);
		expect(second).toMatchObject({ status: 409, body: { code: 'in_progress' } });
		stream.end(bytes.subarray(50_000));
		const { status, body } = await first;
		expect(status).toBe(201);
		expect((await encode(key)).body).toEqual(body);
	});

	it('creates one container for ten requests at once', async () => {
		const key = randomUUID();
		const before = await count();
		const all = await Promise.all(Array.from({ length: 10 }, async () => await encode(key)));
		expect([...new Set(all.map(({ status }) => status))].sort()).toEqual([201, 409]);
		expect(await count()).toBe(before + 1);
	});

	it('is free again after a request that failed', async () => {
		const key = randomUUID();
		expect((await encode(key, { container: { name: '' } })).status).toBe(422);
		const cut = toForm(toParts(manifest)).subarray(0, -40);
		expect((await sendForm(service, cut, { 'idempotency-key': key })).status).toBe(400);
		const { status, headers } = await encode(key);
		expect([status, headers['idempotency-replayed']]).toEqual([201, undefined]);
	});

	it('has at most 255 characters', async () => {
		expect((await encode('k'.repeat(255))).status).toBe(201);
		expect((await encode('k'.repeat(255))).headers['idempotency-replayed']).toBe('true');
		expect((await encode('k'.repeat(256))).status).toBe(422);
	});
});
