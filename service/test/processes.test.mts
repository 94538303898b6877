import { randomBytes } from 'node:crypto';
import { createContainer, type Api, type ServiceEvent } from './support/api.mts';
import { visit } from './support/door.mts';
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
		expect(await services[0].run(['check'])).toMatchObject({ code: 0, stderr: '' });
	});
});
