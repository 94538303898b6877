import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Container } from '../support/api.mts';
import {
	createContainer,
	filePart,
	manifestPart,
	sendForm,
	toForm,
	type Part,
} from '../support/encode.mts';
import { describeService, listFiles, startService, type Service } from '../support/service.mts';

const minimal = { container: { name: 'Test' } };
const file = filePart('note.txt', 'Hello', 'text/plain');

describeService('encode', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService({ env: { MAX_UPLOAD_BYTES: '20000000' } });
	});

	const details = async (uuid: string) =>
		(await service.api.get<Container>(`/containers/${uuid}`)).body;

	/** Expects that a form is refused, and leaves nothing behind. */
	const expectRefused = async (form: Part[] | Buffer, status: number, expected: object) => {
		const state = async () => ({
			list: (await service.api.get<Container[]>(`/users/${service.userId}/containers`)).text,
			files: listFiles(service.files),
		});
		const before = await state();
		const response = await sendForm(service, form);
		expect(response).toMatchObject({ status, body: expected });
		expect(await state()).toEqual(before);
	};

	it('creates a container with every field of the contract', async () => {
		const content = randomBytes(200_000);
		const files = { 'Report.pdf': content, 'empty.txt': '' };
		const { status, body } = await sendForm(service, [
			manifestPart({
				container: {
					name: 'Invoice 2026-0042',
					recipients: ['ada@example.com'],
					downloadable: true,
					password: 'correct horse',
					drm: { dynamic: true, opens: 3, time: { start: '2026-01-01', end: '2099-12-31' } },
				},
				files: { 'Report.pdf': { type: 'application/x-report', hidden: true } },
			}),
			filePart('Report.pdf', content, 'application/pdf'),
			filePart('empty.txt', '', 'text/plain'),
		]);
		expect(status).toBe(201);
		expect(body.org_id).toBe(service.userId);
		const { uuid, created_date: created } = body.container;
		expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
		expect(Math.abs(Date.now() - Date.parse(created))).toBeLessThan(60_000);
		const record = {
			uuid,
			name: 'Invoice 2026-0042',
			owner_id: service.userId,
			created_date: created,
			updated_date: created,
			size: content.length,
			file_count: 2,
			url: `${service.origin}/c/${uuid}`,
		};
		expect(body.container).toMatchObject(record);
		const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
		expect(await details(uuid)).toMatchObject({
			...record,
			opens_used: 0,
			files: [
				{
					name: 'Report.pdf',
					type: 'application/x-report',
					size: content.length,
					sha256: sha256(content),
				},
				{ name: 'empty.txt', type: 'text/plain', size: 0, sha256: sha256(files['empty.txt']) },
			],
		});
		const { body: rules } = await service.api.get(`/containers/${uuid}/drm`);
		expect(rules).toEqual({
			dynamic: true,
			recipients: ['ada@example.com'],
			downloadable: true,
			opens: 3,
			time: { start: '2026-01-01', end: '2099-12-31' },
		});
	});

	it('accepts the older names of the parts', async () => {
		const { status } = await sendForm(service, [
			manifestPart(minimal, 'manifest'),
			{ ...file, name: 'files' },
		]);
		expect(status).toBe(201);
	});

	it('accepts rules in the container and in drm that say the same', async () => {
		const recipients = ['ada@example.com'];
		const both = { recipients, downloadable: false, drm: { recipients, downloadable: false } };
		const { uuid } = await createContainer(service, both);
		const { body } = await service.api.get(`/containers/${uuid}/drm`);
		expect(body).toMatchObject({ recipients, downloadable: false });
	});

	it.each([
		['Übersicht – 2026 €.pdf', 'Übersicht – 2026 €.pdf'],
		['日本語.txt', '日本語.txt'],
		['100%25 sure.txt', '100%25 sure.txt'],
		['say %22hi%22.txt', 'say "hi".txt'],
		["it's; a=b.txt", "it's; a=b.txt"],
		['../../etc/passwd', 'passwd'],
		['C:\\\\Users\\\\ada\\\\note.txt', 'note.txt'],
	])('keeps the file name %s as %s', async (sent, kept) => {
		const { status, body } = await sendForm(service, [manifestPart(minimal), filePart(sent, 'x')]);
		expect(status).toBe(201);
		expect((await details(body.container.uuid)).files.map(({ name }) => name)).toEqual([kept]);
	});

	it('keeps two files of one name, in their order', async () => {
		const form = [manifestPart(minimal), filePart('a.txt', 'one'), filePart('a.txt', 'three')];
		const { body } = await sendForm(service, form);
		const { files } = await details(body.container.uuid);
		expect(files.map(({ name, size }) => [name, size])).toEqual([
			['a.txt', 3],
			['a.txt', 5],
		]);
	});

	it('accepts 10,000 files', async () => {
		const parts = Array.from({ length: 10_000 }, (_, n) => filePart(`${n}.txt`, `content ${n}`));
		const { status, body } = await sendForm(service, [manifestPart(minimal), ...parts]);
		expect([status, body.container.file_count]).toEqual([201, 10_000]);
		const { files } = await details(body.container.uuid);
		expect(files.at(-1)).toMatchObject({ name: '9999.txt', size: 12 });
	});

	it.each<[string, Part[]]>([
		['no part', []],
		['no manifest', [file]],
		['the manifest after a file', [file, manifestPart(minimal)]],
		['two manifests', [manifestPart(minimal), manifestPart(minimal), file]],
		['no file', [manifestPart(minimal)]],
		['the names manifest.json and files', [manifestPart(minimal), { ...file, name: 'files' }]],
		['the names manifest and file', [manifestPart(minimal, 'manifest'), file]],
		['the names file and files', [manifestPart(minimal), file, { ...file, name: 'files' }]],
		['another part', [manifestPart(minimal), file, { name: 'note', content: 'x' }]],
		['a manifest that is no JSON', [manifestPart('{"container":'), file]],
		['an empty manifest', [manifestPart(''), file]],
	])('answers 400 to a form with %s', async (_, form) => {
		await expectRefused(form, 400, { code: 'malformed' });
	});

	it('answers 400 to a form that is cut off', async () => {
		const form = toForm([manifestPart(minimal), filePart('a.bin', randomBytes(300_000))]);
		for (const length of [60, 150, 250, 200_000, form.length - 5]) {
			await expectRefused(form.subarray(0, length), 400, { code: 'malformed' });
		}
	});

	it('answers 400 to a body of another type', async () => {
		const path = `/users/${service.userId}/containers/encode`;
		const types = [
			'application/json',
			'multipart/form-data',
			'text/plain',
			'multipart/mixed; boundary=a',
		];
		for (const type of types) {
			const { status } = await service.api.send('POST', path, {
				body: '{}',
				headers: { 'content-type': type },
			});
			expect([type, status]).toEqual([type, 400]);
		}
	});

	it('creates nothing when the connection breaks', async () => {
		const before = listFiles(service.files);
		const { hostname, port, pathname } = new URL(service.baseUrl);
		const form = toForm([
			manifestPart({ container: { name: 'Broken' } }),
			filePart('a', randomBytes(1e6)),
		]);
		const socket = connect({
			host: hostname,
			port: Number(port),
			ca: service.ca,
			servername: hostname,
		});
		socket.on('error', () => undefined);
		socket.write(
			`POST ${pathname}/users/${service.userId}/containers/encode HTTP/1.1\r\nHost: ${hostname}\r\n` +
				`Authorization: Bearer ${service.apiKey}\r\nContent-Length: ${form.length}\r\n` +
				'Content-Type: multipart/form-data; boundary=boundary-of-the-tests\r\n\r\n',
		);
		await new Promise<void>((resolve) => socket.write(form.subarray(0, 700_000), () => resolve()));
		await sleep(300);
		socket.destroy();
		for (let tries = 0; tries < 50 && listFiles(service.files).length > before.length; tries++) {
			await sleep(100);
		}
		expect(listFiles(service.files)).toEqual(before);
		const { body } = await service.api.get<Container[]>(
			`/users/${service.userId}/containers?name=Broken`,
		);
		expect(body).toEqual([]);
	});

	it.each([
		['recipients', { recipients: ['ada@example.com'], drm: { recipients: ['ben@example.com'] } }],
		['downloadable', { downloadable: true, drm: { downloadable: false } }],
	])('answers 422 to %s that differ', async (name, rules) => {
		const form = [manifestPart({ container: { name: 'Test', ...rules } }), file];
		await expectRefused(form, 422, {
			code: 'invalid',
			fields: { [`container.${name}`]: expect.any(String) },
		});
	});

	it.each([
		['extra', { ...minimal, extra: 1 }],
		['container.title', { container: { name: 'Test', title: 'x' } }],
		['container.drm.owner', { container: { name: 'Test', drm: { owner: 'x' } } }],
		[
			'container.drm.time.from',
			{ container: { name: 'Test', drm: { time: { from: '2026-01-01' } } } },
		],
		['container.drm.geo.deny', { container: { name: 'Test', drm: { geo: { deny: [] } } } }],
		['container.drm.ip.deny', { container: { name: 'Test', drm: { ip: { deny: [] } } } }],
	])('refuses the unknown key %s by name', async (key, manifest) => {
		const fields = { [key]: expect.any(String) };
		await expectRefused([manifestPart(manifest), file], 422, { code: 'invalid', fields });
	});

	it('answers 413 to a manifest of more than 4 MiB', async () => {
		const padding = 'x'.repeat(4 * 1024 * 1024);
		await expectRefused([manifestPart({ ...minimal, padding }), file], 413, { code: 'too_large' });
	});

	it('answers 413 to more than MAX_UPLOAD_BYTES', async () => {
		const large = filePart('large.bin', Buffer.alloc(20_000_001));
		await expectRefused([manifestPart(minimal), large], 413, { code: 'too_large' });
	});
});
