import { randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync, truncateSync } from 'node:fs';
import { request } from 'undici';
import { waitFor } from '../../../tools/processes.cts';
import { createContainer } from '../support/api.mts';
import type { Container, ErrorBody, ServiceEvent } from '../support/api.mts';
import { addUser, describeService, startService, times } from '../support/service.mts';
import { usesServers, type Service } from '../support/service.mts';

const OLIVE = 'olive@example.com';
const PASSWORD = 'correct horse';
const WRONG = { file: 0, password: 'wrong horse' };
const onlyInFolder = usesServers ? it.skip : it;

describeService('decode', () => {
	let service: Service;
	let protectedOne: Container;

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: OLIVE, TRUST_PROXY: '127.0.0.1,::1' } });
	});
	beforeEach(async () => {
		protectedOne = await createContainer(service, { password: PASSWORD });
	});

	const decode = async (id: string, body?: object) => await service.api.decode(id, body);
	const readState = async ({ uuid }: Container) => {
		const details = await service.api.get<Container>(`/containers/${uuid}`);
		const { headers, body } = await service.api.get(`/containers/${uuid}/drm`);
		return [details.body, headers.etag, body];
	};
	const listDecodes = async ({ uuid, owner_id }: Container) => {
		const path = `/users/${owner_id}/containers/${uuid}/events`;
		const events = await service.api.getAll<ServiceEvent>(path);
		return events.filter(({ action }) => action === 'container.decode');
	};

	it('sends each file byte for byte, as an attachment of its type that never runs', async () => {
		const large = randomBytes(3_000_000);
		const names = { unusual: 'Über %22uns%22 50%25 \u{1f512}.html', large: 'scan.pdf' };
		const container = await createContainer(service, {
			files: { [names.large]: large, empty: '', [names.unusual]: '<script>', hidden: 'a' },
			types: { [names.large]: 'application/pdf', [names.unusual]: 'Text/HTML' },
			settings: { hidden: { hidden: true } },
		});
		const sent = await Promise.all(times(4, (file) => decode(container.uuid, { file })));
		const contents = [large, '', '<script>', 'a'].map((content) => Buffer.from(content));
		expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
		expect(sent.every(({ bytes }, file) => bytes.equals(contents[file]))).toBe(true);
		const lengths = sent.map(({ headers }) => headers['content-length']);
		expect(lengths).toEqual(['3000000', '0', '8', '1']);
		const unusual = `UTF-8''%C3%9Cber%20%22uns%22%2050%2525%20%F0%9F%94%92.html`;
		expect(sent[2].headers).toMatchObject({
			'content-type': 'text/html',
			'content-disposition': expect.stringMatching(/^attachment; filename="_ber/),
			'content-security-policy': "sandbox; default-src 'none'",
			'x-content-type-options': 'nosniff',
		});
		expect(sent[2].headers['content-disposition']).toContain(`filename*=${unusual}`);
		expect(sent[0].headers).toMatchObject({
			'content-type': 'application/pdf',
			'content-disposition': 'attachment; filename="scan.pdf"',
		});
	});

	it('needs no rule, leaves an event, and changes nothing', async () => {
		const container = await createContainer(service, {
			downloadable: false,
			drm: { dynamic: false, time: { end: '2026-01-01' }, opens: 1, ip: { block: ['0.0.0.0/0'] } },
			files: { a: 'first', b: 'second' },
		});
		const before = await readState(container);
		for (const file of [1, 1]) {
			expect((await decode(container.uuid, { file })).text).toBe('second');
		}
		expect(await readState(container)).toEqual(before);
		const found = await listDecodes(container);
		const detail = { file: 1, ip: expect.any(String) };
		expect(found.map((event) => [event.user, event.detail])).toEqual([
			[OLIVE, detail],
			[OLIVE, detail],
		]);
	});

	it('is for the owner and admins', async () => {
		const ben = await addUser(service, 'ben@example.com');
		const container = await createContainer(ben);
		for (const api of [ben.api, service.api]) {
			expect((await api.decode(container.uuid)).text).toBe('Hello');
		}
		expect((await ben.api.decode(protectedOne.uuid)).status).toBe(404);
		const users = (await listDecodes(container)).map(({ user }) => user);
		expect(users).toEqual(['ben@example.com', OLIVE]);
		await service.run(['users', 'disable', 'ben@example.com']);
		expect((await ben.api.decode(container.uuid)).status).toBe(401);
		expect((await decode(container.uuid)).status).toBe(200);
	});

	it.each([
		[404, 'not_found', { file: 1 }],
		[422, 'invalid', {}],
		[422, 'invalid', { file: -1 }],
		[422, 'invalid', { file: '0' }],
		[422, 'invalid', { file: 0.5 }],
		[422, 'invalid', { file: 0, password: '' }],
		[422, 'invalid', { file: 0, name: 'a' }],
		[422, 'invalid', []],
		[403, 'password_required', { file: 0 }],
		[403, 'password_wrong', WRONG],
	])('answers %i %s to %j, and leaves no event', async (status, code, body) => {
		const response = await decode(protectedOne.uuid, body);
		expect([response.status, response.body.code]).toEqual([status, code]);
		expect(await listDecodes(protectedOne)).toEqual([]);
	});

	it('takes five wrong passwords an hour, here and at the door together', async () => {
		const { uuid } = protectedOne;
		const right = { file: 0, password: PASSWORD };
		await decode(uuid, WRONG);
		// One that is right doesn't count.
		expect((await decode(uuid, right)).text).toBe('Hello');
		const tries = await Promise.all(times(6, () => decode(uuid, WRONG)));
		const statuses = tries.map(({ status }) => status).sort();
		expect(statuses).toEqual([403, 403, 403, 403, 429, 429]);
		const refused = await decode(uuid, right);
		expect([refused.status, refused.body.code]).toEqual([429, 'too_many_passwords']);
		expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3000);
		const olive = service.visit(protectedOne);
		await olive.signIn(OLIVE);
		expect((await olive.enterPassword(PASSWORD)).status).toBe(429);
		const { api } = await addUser(service, `${uuid}@example.com`, ['--admin']);
		expect((await api.decode(uuid, right)).text).toBe('Hello');
	});

	it('needs no password where there is none, and takes one', async () => {
		const { uuid } = await createContainer(service);
		expect((await decode(uuid, WRONG)).text).toBe('Hello');
	});

	/** How often the encrypted file is open, in any process. */
	const countOpen = (path: string) =>
		readdirSync('/proc').flatMap((process) => {
			try {
				const folder = `/proc/${process}/fd`;
				return readdirSync(folder).filter((fd) => readlinkSync(`${folder}/${fd}`) === path);
			} catch {
				return [];
			}
		}).length;
	const startDecode = async (id: string) =>
		await request(`${service.baseUrl}/containers/${id}/decode`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${service.apiKey}`,
				'content-type': 'application/json',
			},
			body: '{"file":0}',
			dispatcher: service.api.dispatcher,
		});
	const createLarge = async () => {
		const known = service.listFiles();
		const { uuid } = await createContainer(service, { files: { a: Buffer.alloc(40_000_000) } });
		return { uuid, path: service.listFiles().find((path) => !known.includes(path))! };
	};

	(process.platform === 'linux' ? onlyInFolder : it.skip)(
		'frees everything when its client goes',
		async () => {
			const { uuid, path } = await createLarge();
			const { body } = await startDecode(uuid);
			await body[Symbol.asyncIterator]().next();
			expect(countOpen(path)).toBe(1);
			body.on('error', () => undefined).destroy();
			await waitFor(() => countOpen(path) === 0);
		},
	);

	onlyInFolder('cuts the connection where the file is damaged', async () => {
		const { uuid, path } = await createLarge();
		truncateSync(path, 20_000_000);
		const { statusCode, headers, body } = await startDecode(uuid);
		expect([statusCode, headers['content-length']]).toEqual([200, '40000000']);
		await expect(body.arrayBuffer()).rejects.toThrow();
		truncateSync(path, 0);
		const { statusCode: status, body: error } = await startDecode(uuid);
		expect([status, ((await error.json()) as ErrorBody).code]).toEqual([500, 'failed']);
	});
});
