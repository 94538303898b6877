import { randomBytes, randomUUID } from 'node:crypto';
import type { Api, Container, ServiceEvent } from './support/api.mts';
import { visit } from './support/door.mts';
import { createContainer, filePart, manifestPart, sendForm } from './support/encode.mts';
import { createBackend, describeService, startService, type Service } from './support/service.mts';

const ADA = 'ada@example.com';
const OWNER = { OWNER_EMAIL: 'olive@example.com' };
const times = <T,>(count: number, run: (n: number) => T) =>
	Array.from({ length: count }, (_, n) => run(n));

/** Starts processes at the same moment on one database and one storage. */
async function startTogether(count: number) {
	const backend = await createBackend();
	const start = async () => await startService({ backend, env: OWNER });
	const services = await Promise.all(times(count, start));
	const keys = services.map(({ apiKey }) => apiKey).filter((key) => key.startsWith('ec_'));
	return { services, keys };
}

describeService('processes on one database and one storage', () => {
	let services: Service[];
	/** One of each process, with the same key. */
	let apis: Api[];
	let userId: string;

	beforeAll(async () => {
		const started = await startTogether(2);
		services = started.services;
		userId = services[0].userId;
		apis = services.map(({ api }) => api.withKey(started.keys[0]));
	});

	const at = (n: number) => ({ ...services[n % 2], api: apis[n % 2], userId });
	const getEvents = async (n: number, query = '') =>
		await apis[n].getAll<ServiceEvent>(`/users/${userId}/events${query}`);

	it('are ready when several start for the first time at once, with one owner and one key', async () => {
		const { services: four, keys } = await startTogether(4);
		expect([keys.length, new Set(four.map(({ userId: id }) => id)).size]).toEqual([1, 1]);
		for (const { api, userId: id } of four) {
			const { status, body } = await api.withKey(keys[0]).get('/me');
			expect([status, body]).toMatchObject([200, { id, role: 'admin', email: OWNER.OWNER_EMAIL }]);
		}
		const { stdout } = await four[3].run(['keys', 'list']);
		expect(stdout.trim().split('\n')).toHaveLength(1);
	});

	it.each([undefined, 'correct'])(
		'open what another one encrypted (password: %s)',
		async (password) => {
			const content = randomBytes(3_000_000);
			const container = await createContainer(at(0), {
				...{ recipients: [ADA], downloadable: true, password, files: { 'a.bin': content } },
			});
			const visitor = visit(services[1], container);
			await visitor.signIn(ADA);
			if (password) await visitor.enterPassword(password);
			expect((await visitor.getFile(0)).bytes.equals(content)).toBe(true);
			// The session of one counts in the other.
			const elsewhere = visit(services[0], container);
			for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value);
			const { bytes } = await elsewhere.getFile(0, { range: 'bytes=65530-65540' });
			expect(bytes.equals(content.subarray(65_530, 65_541))).toBe(true);
			// So does a code, once.
			const code = await visit(services[0], container).requestCode(ADA);
			const statuses = await Promise.all(
				services.map(async (service) => (await visit(service, container).signIn(ADA, code)).status),
			);
			expect(statuses.sort()).toEqual([303, 403]);
			await apis[1].delete(`/containers/${container.uuid}`);
			expect((await elsewhere.getFile(0)).status).toBe(404);
		},
	);

	it('count five of a hundred openings at once', async () => {
		const container = await createContainer(at(0), {
			...{ recipients: ['*@example.com'], drm: { opens: 5 } },
		});
		const visitors = await Promise.all(
			times(100, async (n) => {
				const visitor = visit(services[n % 2], container);
				const email = `ada${n}@example.com`;
				return { visitor, email, code: await visitor.requestCode(email) };
			}),
		);
		const responses = await Promise.all(
			visitors.map(async ({ visitor, email, code }) => await visitor.post('open', { email, code })),
		);
		expect(responses.filter(({ status }) => status === 303)).toHaveLength(5);
		const refused = responses.filter(({ status }) => status === 403);
		expect(refused).toHaveLength(95);
		const sentence = 'This container has been opened 5 times, as often as allowed.';
		expect(refused.every(({ page }) => page.text.includes(sentence))).toBe(true);
		for (const api of apis) {
			const path = `/containers/${container.uuid}`;
			expect((await api.get<Container>(path)).body.opens_used).toBe(5);
			const events = await api.getAll<ServiceEvent>(`/users/${userId}${path}/events`);
			const count = (action: string) => events.filter((event) => event.action === action).length;
			expect([count('container.open'), count('container.refuse')]).toEqual([5, 95]);
		}
	});

	it('lose no change of ten clients with If-Match', async () => {
		const { uuid } = await createContainer(at(0), { drm: { dynamic: true } });
		const path = `/containers/${uuid}/drm`;
		const addresses = times(30, (n) => `ada${n}@example.com`);
		let conflicts = 0;
		const add = async (n: number, email: string): Promise<void> => {
			const { body, headers } = await apis[n].get<{ recipients?: string[] }>(path);
			const recipients = [...(body.recipients ?? []), email];
			const { status } = await apis[n].patch(path, { recipients }, { 'if-match': headers.etag });
			expect([200, 412]).toContain(status);
			if (status === 200) return;
			conflicts += 1;
			return await add(n, email);
		};
		await Promise.all(
			times(10, async (client) => {
				for (const n of times(3, (round) => 3 * client + round)) await add(n % 2, addresses[n]);
			}),
		);
		const { body } = await apis[1].get<{ recipients: string[] }>(path);
		expect(body.recipients.sort()).toEqual(addresses.sort());
		expect(conflicts).toBeGreaterThan(0);
	});

	it('return every event in its order to who reads on while both write', async () => {
		const before = (await getEvents(0)).at(-1)!.id;
		let isWriting = true;
		const write = async (client: number) => {
			for (let round = 0; round < 4; round++) {
				const container = await createContainer(at(client), { drm: { dynamic: true } });
				const path = `/containers/${container.uuid}`;
				for (const opens of [1, 2]) await apis[round % 2].patch(`${path}/drm`, { opens });
				await apis[(client + round) % 2].delete(path);
			}
		};
		const readOn = async (n: number) => {
			const seen: string[] = [];
			for (let isLast = false; !isLast;) {
				isLast = !isWriting;
				const query = `after=${seen.at(-1) ?? before}&limit=7`;
				const { body } = await apis[n].get<ServiceEvent[]>(`/users/${userId}/events?${query}`);
				seen.push(...body.map(({ id }) => id));
				if (body.length > 0) isLast = false;
			}
			return seen;
		};
		const readers = [readOn(0), readOn(1)];
		await Promise.all(times(8, write));
		isWriting = false;
		const all = (await getEvents(1, `?after=${before}`)).map(({ id }) => id);
		expect(all).toHaveLength(8 * 4 * 4);
		expect(all.map(Number)).toEqual(all.map(Number).sort((one, other) => one - other));
		for (const seen of await Promise.all(readers)) expect(seen).toEqual(all);
	});

	it('create one container for an Idempotency-Key', async () => {
		const parts = [manifestPart({ container: { name: 'Once' } }), filePart('a.txt', 'Hello')];
		const headers = { 'idempotency-key': randomUUID() };
		const send = async (n: number) => await sendForm(at(n), parts, headers);
		const responses = await Promise.all(times(10, send));
		const created = responses.filter(({ status }) => status === 201);
		expect(created.filter((response) => !response.headers['idempotency-replayed'])).toHaveLength(1);
		const others = responses.filter(({ status }) => status !== 201);
		expect(others.every(({ body }) => body.code === 'in_progress')).toBe(true);
		for (const n of [0, 1]) {
			const { status, body, headers: replayed } = await send(n);
			expect([status, replayed['idempotency-replayed']]).toEqual([201, 'true']);
			expect(body).toEqual(created[0].body);
			const path = `/users/${userId}/containers?name=Once`;
			expect(await apis[n].getAll(path)).toHaveLength(1);
		}
	});

	it('find everything in order afterwards', async () => {
		for (const service of services) {
			expect(await service.run(['check'])).toMatchObject({ code: 0, stderr: '' });
		}
	});
});
