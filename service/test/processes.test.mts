import { randomBytes, randomUUID } from 'node:crypto';
import { visit } from './support/door.mts';
import {
	createContainer,
	filePart,
	manifestPart,
	sendForm,
	type Api,
	type Container,
	type ServiceEvent,
} from './support/api.mts';
import { createBackend, describeService, startService, type Service } from './support/service.mts';

const ADA = 'ada@example.com';
const times = <T,>(count: number, run: (n: number) => T) =>
	Array.from({ length: count }, (_, n) => run(n));

describeService('two processes on one database and one storage', () => {
	let services: Service[];
	/** One of each process, with the same key. */
	let apis: Api[];
	let userId: string;

	beforeAll(async () => {
		const backend = await createBackend();
		const start = async () =>
			await startService({ backend, env: { OWNER_EMAIL: 'olive@example.com' } });
		services = await Promise.all(times(2, start));
		const key = services.map(({ apiKey }) => apiKey).find((shown) => shown.startsWith('ec_'));
		apis = services.map(({ api }) => api.withKey(key!));
		userId = services[0].userId;
	});

	const at = (n: number) => ({ ...services[n % 2], api: apis[n % 2], userId });

	it('start for the first time at the same moment, with one owner and one key', async () => {
		expect(services[1].userId).toBe(userId);
		for (const [n, api] of apis.entries()) {
			const me = { id: userId, role: 'admin', email: 'olive@example.com' };
			expect((await api.get('/me')).body).toMatchObject(me);
			expect((await services[n].run(['keys', 'list'])).stdout).toMatch(/^\S+ +olive.*\n$/);
		}
	});

	it('open what another one encrypted, by sessions and codes of any of them', async () => {
		const content = randomBytes(3_000_000);
		const container = await createContainer(at(0), {
			...{ recipients: [ADA], downloadable: true, password: 'correct' },
			files: { 'a.bin': content },
		});
		const [elsewhere, visitor] = services.map((service) => visit(service, container));
		await visitor.signIn(ADA);
		await visitor.enterPassword('correct');
		expect((await visitor.getFile(0)).bytes.equals(content)).toBe(true);
		for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value);
		const { bytes } = await elsewhere.getFile(0, { range: 'bytes=65530-65540' });
		expect(bytes.equals(content.subarray(65_530, 65_541))).toBe(true);
		const code = await visit(services[0], container).requestCode(ADA);
		const signIn = async (service: Service) => await visit(service, container).signIn(ADA, code);
		const statuses = (await Promise.all(services.map(signIn))).map(({ status }) => status);
		expect(statuses.sort()).toEqual([303, 403]);
		await apis[1].delete(`/containers/${container.uuid}`);
		expect((await elsewhere.getFile(0)).status).toBe(404);
	});

	it('count five of a hundred openings at once', async () => {
		const rules = { recipients: ['*@example.com'], drm: { opens: 5 } };
		const container = await createContainer(at(0), rules);
		const prepare = async (n: number) => {
			const visitor = visit(services[n % 2], container);
			const email = `ada${n}@example.com`;
			return { visitor, email, code: await visitor.requestCode(email) };
		};
		const visitors = await Promise.all(times(100, prepare));
		const statuses = await Promise.all(
			visitors.map(async ({ visitor, ...fields }) => (await visitor.post('open', fields)).status),
		);
		expect(statuses.sort()).toEqual([...times(5, () => 303), ...times(95, () => 403)]);
		for (const api of apis) {
			const path = `/containers/${container.uuid}`;
			expect((await api.get<Container>(path)).body.opens_used).toBe(5);
			const events = await api.getAll<ServiceEvent>(`/users/${userId}${path}/events`);
			const count = (action: string) => events.filter((event) => event.action === action).length;
			expect([count('container.open'), count('container.refuse')]).toEqual([5, 95]);
		}
	});

	it('return every event in its order to who reads on while both write', async () => {
		const path = `/users/${userId}/events`;
		const before = (await apis[0].getAll<ServiceEvent>(path)).at(-1)?.id ?? '0';
		let isWriting = true;
		const write = async (client: number) => {
			const container = await createContainer(at(client), { drm: { dynamic: true } });
			for (const opens of times(25, (n) => n + 1)) {
				await apis[client % 2].patch(`/containers/${container.uuid}/drm`, { opens });
			}
		};
		const readOn = async (api: Api) => {
			const seen = [before];
			for (let isLast = false; !isLast;) {
				isLast = !isWriting;
				const { body } = await api.get<ServiceEvent[]>(`${path}?after=${seen.at(-1)}`);
				seen.push(...body.map(({ id }) => id));
				isLast &&= body.length === 0;
			}
			return seen.slice(1);
		};
		const readers = Promise.all([...apis, ...apis].map(readOn));
		await Promise.all(times(16, write)).finally(() => (isWriting = false));
		const all = (await apis[1].getAll<ServiceEvent>(`${path}?after=${before}`)).map(({ id }) => id);
		expect(all).toHaveLength(16 * 26);
		expect(all).toEqual([...all].sort((one, other) => Number(one) - Number(other)));
		for (const seen of await readers) expect(seen).toEqual(all);
	});

	it('create one container for an Idempotency-Key', async () => {
		const parts = [manifestPart({ container: { name: 'Once' } }), filePart('a.txt', 'Hello')];
		const headers = { 'idempotency-key': randomUUID() };
		const send = async (n: number) => await sendForm(at(n), parts, headers);
		const responses = await Promise.all(times(10, send));
		const created = responses.filter(({ status }) => status === 201);
		expect(created.filter((sent) => !sent.headers['idempotency-replayed'])).toHaveLength(1);
		const others = new Set(
			responses.filter((sent) => sent.status !== 201).map((sent) => sent.body.code),
		);
		expect([...others].filter((code) => code !== 'in_progress')).toEqual([]);
		for (const n of [0, 1]) {
			const replayed = { 'idempotency-replayed': 'true' };
			expect(await send(n)).toMatchObject({ body: created[0].body, headers: replayed });
			const list = `/users/${userId}/containers?name=Once`;
			expect(await apis[n].getAll(list)).toHaveLength(1);
		}
	});

	it('find everything in order afterwards', async () => {
		const clean = { code: 0, stderr: '' };
		for (const service of services) expect(await service.run(['check'])).toMatchObject(clean);
	});
});
