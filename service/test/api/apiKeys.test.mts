import { waitFor } from '../../../tools/processes.cts';
import { createContainer, filePart, manifestPart, sendForm } from '../support/api.mts';
import type { Api, Container, ErrorBody } from '../support/api.mts';
import {
	createKey,
	describeService,
	startService,
	times,
	usesServers,
} from '../support/service.mts';
import type { Service } from '../support/service.mts';

const OLIVE = 'olive@example.com';
const DAY_MS = 24 * 60 * 60 * 1000;
const today = () => new Date().toISOString().slice(0, 10);
/** Of the last use, at the end of a line. */
const DAY_USED = /(?<= last used )\S+$/;

describeService('an API key', () => {
	let service: Service;
	let container: Container;
	let user: string;

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: OLIVE } });
		container = await createContainer(service, { name: 'Plan', drm: { dynamic: true } });
		user = `/users/${service.userId}`;
	});

	const findLine = async (id: string) => {
		const { stdout } = await service.run(['keys', 'list']);
		return stdout.split('\n').find((line) => line.startsWith(id)) ?? '';
	};
	/** What each kind of request is answered with. */
	const tryAll = async (api: Api) => {
		const path = `/containers/${container.uuid}`;
		const contact = `${user}/contacts/ada@example.com`;
		const parts = [manifestPart({ container: { name: 'Another' } }), filePart('a.txt', 'Hello')];
		const asked: Record<string, Promise<{ status: number; body: ErrorBody }>> = {
			me: api.get('/me'),
			named: api.get(`${user}/containers?name=pl`),
			list: api.get(`${user}/containers`),
			unnamed: api.get(`${user}/containers?name=`),
			container: api.get(path),
			envelope: api.get(user + path),
			rules: api.get(`${path}/drm`),
			events: api.get(`${user}/events`),
			contacts: api.get(`${user}/contacts`),
			encode: sendForm({ api, userId: service.userId }, parts),
			update: api.patch(`${path}/drm`, {}),
			decode: api.decode(container.uuid),
			upsert: api.patch(contact, {}),
			remove: api.delete(contact),
		};
		const entries = await Promise.all(
			Object.entries(asked).map(async ([name, sent]) => [name, await sent] as const),
		);
		for (const [name, { status, body }] of entries) {
			if (status === 403) expect([name, body.code]).toEqual([name, 'scope']);
		}
		return entries.filter(([, { status }]) => status !== 403).map(([name]) => name);
	};

	it('has a name, a scope, an end and a day of last use, which its user sees in the list', async () => {
		const first = today();
		const options = ['--name', 'Nightly report', '--scope', 'read', '--days', '30'];
		const { id, api } = await createKey(service, OLIVE, options);
		expect(await findLine(id)).toMatch(/Nightly report +read +.*valid until \S+ +never used$/);
		const { body } = await api.get<{ scope: string; expires_date: string }>('/me');
		expect(body.scope).toBe('read');
		const days = (Date.parse(body.expires_date) - Date.now()) / DAY_MS;
		expect([days > 29.9, days <= 30]).toEqual([true, true]);
		await waitFor(async () => DAY_USED.test(await findLine(id)), 60_000);
		// A day can have ended meanwhile.
		expect([first, today()]).toContain(DAY_USED.exec(await findLine(id))![0]);
		expect((await service.api.get('/me')).body).toMatchObject({ scope: 'all', expires_date: null });
		expect((await service.run(['keys', 'list'])).stdout).toMatch(/ olive@\S+ +first +all /);
	});

	it('can do everything, only read, or only encode, by its scope', async () => {
		const keys = await Promise.all(
			['all', 'read', 'encode'].map((scope) => createKey(service, OLIVE, ['--scope', scope])),
		);
		const [all, read, encode] = await Promise.all(keys.map(({ api }) => tryAll(api)));
		const changes = ['encode', 'update', 'decode', 'upsert', 'remove'];
		expect(read).toEqual(all.filter((name) => !changes.includes(name)));
		expect(all).toHaveLength(14);
		expect(encode).toEqual(['me', 'named', 'encode']);
		const path = `/containers/${container.uuid}`;
		const statuses = keys.slice(1).map(async ({ api }) => (await api.delete(path)).status);
		expect(await Promise.all(statuses)).toEqual([403, 403]);
		expect((await service.api.get(path)).status).toBe(200);
	});

	it('ends, and says so', async () => {
		const { id, api } = await createKey(service, OLIVE, ['--days', '1']);
		expect((await api.get('/me')).status).toBe(200);
		const past = '2026-01-15T09:30:00.123Z';
		await service.change(`update api_keys set expires_date = '${past}' where id = '${id}'`);
		const { status, body } = await api.get('/me');
		const message = `This API key expired at ${past}. Use another one.`;
		expect([status, body]).toEqual([401, { message, code: 'unauthorized' }]);
		expect(await findLine(id)).toContain(`expired ${past}`);
	});

	(usesServers ? it.skip : it)(
		'writes its last use once a day, at however many requests',
		async () => {
			const { id, api } = await createKey(service, OLIVE);
			await service.change(`create table uses (day text);
			create trigger note_use after update of last_used_day on api_keys when new.id = '${id}'
			begin insert into uses values (new.last_used_day); end;`);
			await Promise.all(times(50, () => api.get('/me')));
			await waitFor(async () => DAY_USED.test(await findLine(id)), 60_000);
			const days = await service.read('select day as text from uses');
			expect(days).toEqual([...new Set(days)]);
			expect(days.length).toBeGreaterThan(0);
		},
	);

	it('is not created with an option that makes no sense', async () => {
		const before = (await service.run(['keys', 'list'])).stdout;
		const options = [
			['--scope', 'write'],
			['--days', '0'],
			['--days', '36501'],
			['--name', 'two\nlines'],
			['--name', 'x'.repeat(101)],
		];
		for (const [option, value] of options) {
			const { code, stderr } = await service.run(['keys', 'create', OLIVE, option, value]);
			expect([code, stderr.startsWith(`${option} must be `)]).toEqual([2, true]);
		}
		expect((await service.run(['keys', 'list'])).stdout).toBe(before);
	});
});
