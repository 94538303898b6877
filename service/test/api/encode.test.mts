import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { PassThrough } from 'node:stream';
import { waitFor } from '../../../tools/processes.cts';
import * as form from '../support/api.mts';
import { addUser, describeService, startService, type Service } from '../support/service.mts';

const { filePart, manifestPart, sendForm, toForm } = form;
const minimal = { container: { name: 'Test' } };
const file = filePart('note.txt', 'Hello', 'text/plain');

describeService('encode', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService({ env: { MAX_UPLOAD_BYTES: '20000000' } });
	});

	const getDetails = async (uuid: string) =>
		(await service.api.get<form.Container>(`/containers/${uuid}`)).body;
	const getState = async () => ({
		containers: await service.api.getAll(`/users/${service.userId}/containers`),
		files: service.listFiles(),
	});

	/** Expects that a form is refused, and leaves nothing behind. */
	const expectRefused = async (parts: form.Part[] | Buffer, status: number, body: object) => {
		const before = await getState();
		expect(await sendForm(service, parts)).toMatchObject({ status, body });
		expect(await getState()).toEqual(before);
	};

	it('creates a container with every field of the contract', async () => {
		const content = randomBytes(200_000);
		const rules = {
			recipients: ['ada@example.com'],
			downloadable: true,
			drm: { dynamic: true, opens: 3, time: { start: '2026-01-01', end: '2099-12-31' } },
		};
		const { status, body } = await sendForm(service, [
			manifestPart({
				container: { name: 'Invoice 2026-0042', password: 'correct horse', ...rules },
				files: { 'Report.pdf': { type: 'application/x-report', hidden: true } },
			}),
			filePart('Report.pdf', content, 'application/pdf'),
			filePart('empty.txt', '', 'text/plain'),
		]);
		expect([status, body.org_id]).toEqual([201, service.userId]);
		const { uuid, created_date: created } = body.container;
		expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
		expect(Math.abs(Date.now() - Date.parse(created))).toBeLessThan(60_000);
		const dates = { created_date: created, updated_date: created };
		const record = { uuid, name: 'Invoice 2026-0042', owner_id: service.userId, ...dates };
		const rest = { size: 200_000, file_count: 2, url: `${service.origin}/c/${uuid}` };
		expect(body.container).toEqual({ ...record, ...rest, files: expect.any(Array) });
		const hash = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
		const [pdf, empty] = [content, ''].map((data) => ({ size: data.length, sha256: hash(data) }));
		expect(await getDetails(uuid)).toMatchObject({
			...record,
			...rest,
			opens_used: 0,
			files: [
				{ name: 'Report.pdf', type: 'application/x-report', ...pdf },
				{ name: 'empty.txt', type: 'text/plain', ...empty },
			],
		});
		// A UUID is the same in any capitals.
		const path = `/users/${service.userId}/containers/${uuid.toUpperCase()}`;
		expect((await service.api.get(path)).body).toEqual(body);
		const { drm, ...others } = rules;
		expect((await service.api.get(`/containers/${uuid}/drm`)).body).toEqual({ ...drm, ...others });
	});

	it('accepts the older names, and rules in both places that say the same', async () => {
		const rules = { recipients: ['ada@example.com'], downloadable: false };
		const manifest = { container: { name: 'Test', ...rules, drm: rules } };
		const parts = [manifestPart(manifest, 'manifest'), { ...file, name: 'files' }];
		const { status, body } = await sendForm(service, parts);
		expect(status).toBe(201);
		const drm = await service.api.get(`/containers/${body.container.uuid}/drm`);
		expect(drm.body).toEqual({ dynamic: false, ...rules });
	});

	it('keeps the names of files, apart from paths', async () => {
		const names = {
			'Übersicht – 2026 €.pdf': 'Übersicht – 2026 €.pdf',
			'日本語.txt': '日本語.txt',
			'100%25 sure.txt': '100%25 sure.txt',
			'say %22hi%22.txt': 'say "hi".txt',
			"it's; a=b.txt": "it's; a=b.txt",
			'../../etc/passwd': 'passwd',
			'C:\\\\Users\\\\ada\\\\note.txt': 'note.txt',
			'folder/note.txt': 'note.txt',
		};
		const parts = Object.keys(names).map((name, n) => filePart(name, 'x'.repeat(n)));
		const { body } = await sendForm(service, [manifestPart(minimal), ...parts]);
		const { files } = await getDetails(body.container.uuid);
		expect(files.map(({ name }) => name)).toEqual(Object.values(names));
		expect(files.map(({ size }) => size)).toEqual(parts.map((_, n) => n));
	});

	it('answers 400 to a form with other parts, or in another order, than the contract says', async () => {
		const manifest = manifestPart(minimal);
		const older = { ...file, name: 'files' };
		const forms: form.Part[][] = [[], [file, manifest], [manifest, manifest, file], [manifest]];
		forms.push([manifest, older], [manifest, file, older]);
		forms.push([manifest, file, { name: 'note', content: 'x' }]);
		forms.push([manifestPart('{"container":'), file]);
		for (const parts of forms) await expectRefused(parts, 400, { code: 'malformed' });
	});

	it('answers 400 to a form that is cut off, and to another type', async () => {
		const bytes = toForm([manifestPart(minimal), filePart('a.bin', randomBytes(300_000))]);
		for (const length of [60, 250, 200_000, bytes.length - 5]) {
			await expectRefused(bytes.subarray(0, length), 400, { code: 'malformed' });
		}
		for (const type of ['application/json', 'multipart/form-data', 'multipart/mixed; boundary=a']) {
			const sent = sendForm(service, [manifestPart(minimal), file], { 'content-type': type });
			expect([type, (await sent).status]).toEqual([type, 400]);
		}
	});

	it('creates nothing when the connection breaks', async () => {
		const before = await getState();
		const parts = [manifestPart(minimal), filePart('a', randomBytes(1e6))];
		const breakOff = async (body: PassThrough) => {
			await form.waitForFile(service, before.files);
			body.destroy(new Error('broken'));
		};
		const sent = form.sendHalves(service, parts, breakOff);
		await expect(sent).rejects.toThrow();
		await waitFor(() => service.listFiles().length <= before.files.length);
		expect(await getState()).toEqual(before);
	});

	it.each([
		['container.recipients', { recipients: ['a@b.c'], drm: { recipients: ['d@b.c'] } }],
		['container.downloadable', { downloadable: true, drm: { downloadable: false } }],
	])('answers 422 to %s that differ', async (key, rules) => {
		const parts = [manifestPart({ container: { name: 'Test', ...rules } }), file];
		const fields = { [key]: expect.any(String) };
		await expectRefused(parts, 422, { code: 'invalid', fields });
	});

	it('answers 413 to a manifest of more than 4 MiB, and to more than MAX_UPLOAD_BYTES', async () => {
		const padding = 'x'.repeat(4 * 1024 * 1024);
		await expectRefused([manifestPart({ ...minimal, padding }), file], 413, { code: 'too_large' });
		const large = filePart('large.bin', Buffer.alloc(20_000_001));
		await expectRefused([manifestPart(minimal), large], 413, { code: 'too_large' });
	});

	describe('with an Idempotency-Key', () => {
		const manifest = {
			container: { name: 'Once', downloadable: false, drm: { opens: 2, dynamic: true } },
		};
		const toParts = (value: unknown, content = 'Hello') => [
			manifestPart(value),
			filePart('a', content),
		];
		const encode = async (key: string, value: unknown = manifest, content?: string) =>
			await sendForm(service, toParts(value, content), { 'idempotency-key': key });
		const count = async () =>
			(await service.api.getAll(`/users/${service.userId}/containers`)).length;

		it('returns the first response again, also after a restart, and creates nothing', async () => {
			const key = randomUUID();
			const first = await encode(key);
			expect([first.status, first.headers['idempotency-replayed']]).toEqual([201, undefined]);
			const before = await count();
			for (let n = 0; n < 2; n++) {
				const { status, headers, body } = await encode(key);
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
			const fields = { 'Idempotency-Key': 'was used for another request' };
			expect(other).toMatchObject({ status: 422, body: { code: 'invalid', fields } });
		});

		it('answers 422 to other files, which it reads to compare them, and creates nothing', async () => {
			const key = randomUUID();
			const headers = { 'idempotency-key': key };
			const files = [filePart('a', randomBytes(300_000)), filePart('b', 'Hello')];
			const parts = [manifestPart(manifest), ...files];
			const first = await sendForm(service, parts, headers);
			const before = await getState();
			const fields = { 'Idempotency-Key': 'was used with other files' };
			const others = [files.toReversed(), files.slice(0, 1), [...files, filePart('c', '')]];
			for (const other of [...others, [files[0], filePart('b', 'hello')]]) {
				const sent = sendForm(service, [parts[0], ...other], headers);
				expect(await sent).toMatchObject({ status: 422, body: { code: 'invalid', fields } });
			}
			const again = await sendForm(service, parts, headers);
			expect([again.headers['idempotency-replayed'], again.body]).toEqual(['true', first.body]);
			expect(await getState()).toEqual(before);
		});

		it("answers 422 to an admin who uses the key again for somebody else's container", async () => {
			const ben = await addUser(service, 'ben.admin@example.com');
			const key = randomUUID();
			await encode(key);
			const target = { api: service.api, userId: ben.userId };
			const other = sendForm(target, toParts(manifest), { 'idempotency-key': key });
			expect(await other).toMatchObject({ status: 422, body: { code: 'invalid' } });
		});

		it('is independent for each user, and has at most 255 characters', async () => {
			const ben = await addUser(service, 'ben@example.com');
			const key = randomUUID();
			const first = await encode(key);
			const { status, body } = await sendForm(ben, toParts(manifest), { 'idempotency-key': key });
			expect([status, body.container.owner_id]).toEqual([201, ben.userId]);
			expect(body.container.uuid).not.toBe(first.body.container.uuid);
			expect((await encode('k'.repeat(256))).status).toBe(422);
		});

		it('answers 409 while the first request runs', async () => {
			const key = randomUUID();
			const parts = toParts(manifest, 'x'.repeat(100_000));
			const sendSecond = async () => {
				await form.waitForKey(service, key);
				expect(await encode(key)).toMatchObject({ status: 409, body: { code: 'in_progress' } });
			};
			const headers = { 'idempotency-key': key };
			const { status, body } = await form.sendHalves(service, parts, sendSecond, headers);
			expect(status).toBe(201);
			expect((await sendForm(service, parts, headers)).body).toEqual(body);
		});

		it('creates one container for ten requests at once', async () => {
			const [key, before] = [randomUUID(), await count()];
			const all = await Promise.all(Array.from({ length: 10 }, async () => await encode(key)));
			expect([201, 409]).toEqual(expect.arrayContaining(all.map(({ status }) => status)));
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
	});
});
