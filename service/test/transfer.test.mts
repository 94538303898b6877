import { createContainer } from './support/api.mts';
import type { Contact, Container, ContainerToCreate, ServiceEvent } from './support/api.mts';
import {
	addUser,
	createKey,
	describeService,
	runCommand,
	startService,
} from './support/service.mts';
import { usesServers, type Service } from './support/service.mts';

const ADA = 'ada@example.com';
const LEFT = 'leo@example.com';
const HEIR = 'hanna@example.com';
const ADMIN = 'olive@example.com';

type User = Awaited<ReturnType<typeof addUser>>;

let service: Service;

const run = async (...command: string[]) => await runCommand(service, ...command);
const readNames = async ({ userId }: User) => {
	const list = await service.api.getAll<Container>(`/users/${userId}/containers`);
	return list.map(({ name }) => name);
};
const readActions = async ({ userId }: { userId: string }, path = '') => {
	const events = await service.api.getAll<ServiceEvent>(`/users/${userId}${path}/events`);
	return events.map(({ action }) => action);
};

describeService('users transfer', () => {
	let leo: User;
	let hanna: User;
	let container: Container;
	let locked: Container;
	const create = async (more: ContainerToCreate) => await createContainer(leo, more);

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: ADMIN } });
		leo = await addUser(service, LEFT);
		hanna = await addUser(service, HEIR);
		container = await create({ name: 'Fixed', recipients: [ADA], downloadable: true });
		locked = await create({ name: 'Locked', recipients: [ADA], password: 'correct' });
		await create({ name: 'Held', drm: { dynamic: true } }).then(
			async ({ uuid }) => await run('hold', uuid),
		);
	});

	it('gives all containers to another user, sealed for them, also those that erase refuses', async () => {
		const inside = service.visit(container);
		await inside.signIn(LEFT);
		expect((await inside.getFile(0)).status).toBe(200);
		const ada = service.visit(container);
		await ada.signIn(ADA);
		expect((await service.run(['users', 'erase', LEFT])).stderr).toContain('"users transfer"');

		const said = await run('users', 'transfer', LEFT, HEIR);
		expect(said).toBe(
			`${HEIR} now has 3 containers, 0 requests for files and 0 contacts of ${LEFT}.\n`,
		);

		expect([await readNames(leo), await readNames(hanna)]).toEqual([
			[],
			['Fixed', 'Locked', 'Held'],
		]);
		expect((await inside.getFile(0)).status).toBe(403);
		expect((await ada.getFile(0)).bytes.toString()).toBe('Hello');
		const owner = service.visit(locked);
		expect((await owner.signIn(HEIR)).status).toBe(303);
		expect((await owner.enterPassword('correct')).text).toContain('note.txt');
		const path = `/containers/${container.uuid}`;
		expect((await leo.api.get(path)).status).toBe(404);
		expect((await hanna.api.get<Container>(path)).body.owner_id).toBe(hanna.userId);
		expect((await hanna.api.patch(`${path}/drm`, { opens: 5 })).body.code).toBe('rules_fixed');
		expect(await run('check', '--read')).toContain('3 containers: everything is in order.');
	});

	it('keeps the events of a container together for the new owner, and in the trails of both', async () => {
		const path = `/users/${hanna.userId}/containers/${container.uuid}/events`;
		const events = await hanna.api.getAll<ServiceEvent>(path);
		const actions = ['container.create', 'container.open', 'container.open'];
		const [transfer, ...after] = events.slice(actions.length);
		expect(events.slice(0, 3).map(({ action }) => action)).toEqual(actions);
		const detail = { from: leo.userId, to: hanna.userId };
		expect(transfer).toMatchObject({ action: 'container.transfer', user: '', detail });
		expect(after.every(({ action }) => action === 'container.refuse')).toBe(true);
		const former = await leo.api.get(`/users/${leo.userId}/containers/${container.uuid}/events`);
		expect(former.status).toBe(404);
		const all = { ...detail, containers: 3, requests: 0, contacts: 0 };
		for (const { api, userId } of [leo, hanna]) {
			const [last] = (await api.getAll<ServiceEvent>(`/users/${userId}/events`)).filter(
				({ action }) => action === 'user.transfer',
			);
			expect([last.container_id, last.detail]).toEqual([null, all]);
		}
		// Also when it is deleted: the last owner deleted it.
		const own = `/containers/${locked.uuid}`;
		expect((await hanna.api.delete(own)).status).toBe(204);
		expect((await readActions(hanna, own)).at(-1)).toBe('container.delete');
		expect((await leo.api.get(`/users/${leo.userId}${own}/events`)).status).toBe(404);
	});

	it('gives the contacts, but those that the other one has, which it prints', async () => {
		const change = async ({ api, userId }: User, email: string, company: string) =>
			await api.patch(`/users/${userId}/contacts/${email}`, { company });
		await change(leo, ADA, 'Old');
		await change(leo, 'ben@example.com', 'Both');
		await change(hanna, ADA, 'New');
		const said = await run('users', 'transfer', LEFT, HEIR);
		expect(said).toContain(
			`${HEIR} now has 0 containers, 0 requests for files and 1 contact of ${LEFT}.\n`,
		);
		expect(said).toContain(`so those of ${LEFT} stay:\n  ${ADA} {"company":"Old"}\n`);
		const list = async ({ userId }: User) =>
			(await service.api.getAll<Contact>(`/users/${userId}/contacts`)).map(
				({ email, company }) => `${email} ${company}`,
			);
		expect((await list(hanna)).sort()).toEqual([`${ADA} New`, 'ben@example.com Both']);
		expect(await list(leo)).toEqual([`${ADA} Old`]);
	});

	it('refuses the same user, and one who is disabled', async () => {
		const itself = await service.run(['users', 'transfer', LEFT, ` ${LEFT.toUpperCase()}`]);
		expect([itself.code, itself.stderr]).toEqual([2, `Both addresses are those of ${LEFT}.\n`]);
		await run('users', 'disable', LEFT);
		const disabled = await service.run(['users', 'transfer', HEIR, LEFT]);
		expect([disabled.code, disabled.stderr]).toEqual([2, `The user ${LEFT} is disabled.\n`]);
	});

	it('what happens to users and keys is in the events of the user, and an erasure in those of admins', async () => {
		const { id } = await createKey(service, LEFT, ['--scope', 'read', '--days', '7']);
		await run('keys', 'revoke', id);
		await run('users', 'enable', LEFT);
		const events = await service.api.getAll<ServiceEvent>(`/users/${leo.userId}/events`);
		const ofUser = events.filter(({ action }) => /^(key|user)\./.test(action));
		expect(ofUser.map(({ action }) => action)).toEqual([
			...['user.create', 'key.create', 'user.transfer', 'user.transfer', 'user.disable'],
			...['key.create', 'key.revoke', 'user.enable'],
		]);
		expect(ofUser[4].detail).toEqual({ closed: false });
		expect(ofUser[5].detail).toMatchObject({ key: id, scope: 'read' });
		expect(ofUser[6].detail).toEqual({ key: id });

		await run('users', 'erase', LEFT);
		const admin = await service.api.getAll<ServiceEvent>(`/users/${service.userId}/events`);
		const last = { action: 'user.erase', user: '', detail: { user_id: leo.userId } };
		expect(admin.at(-1)).toMatchObject(last);
		const path = `/users/${hanna.userId}/containers/${container.uuid}/events`;
		const [first] = await hanna.api.getAll<ServiceEvent>(path);
		expect(first).toMatchObject({ action: 'container.create', user: 'erased' });
		expect(await run('check')).toContain('everything is in order');
		// Whoever compares them with a copy of the log is an admin.
		const trail = `/users/${leo.userId}/events`;
		const hashes = events.map(({ hash }) => hash);
		const after = await service.api.getAll<ServiceEvent>(trail);
		expect(after.map(({ hash }) => hash)).toEqual(hashes);
		expect((await service.api.get(`${trail}/${events[0].id}`)).body).toEqual(after[0]);
		expect((await hanna.api.get(trail)).status).toBe(404);
		expect((await hanna.api.get(`${trail}/${events[0].id}`)).status).toBe(404);
	});

	it('an address is in events in one form, and is erased also after the user got another one', async () => {
		const ben = await addUser(service, 'Ben@Example.com');
		const { uuid } = await createContainer(ben);
		await ben.api.delete(`/containers/${uuid}`);
		const readUsers = async () => {
			const events = await ben.api.getAll<ServiceEvent>(`/users/${ben.userId}/events`);
			const ofContainers = events.filter(({ action }) => action.startsWith('container.'));
			return ofContainers.map(({ user }) => user);
		};
		expect(await readUsers()).toEqual(['ben@example.com', 'ben@example.com']);
		await run('users', 'rename', 'Ben@Example.com', 'benjamin@example.com');
		await run('users', 'erase', 'ben@example.com');
		expect(await readUsers()).toEqual(['erased', 'erased']);
	});
});

describeService('users transfer that dies in the middle', () => {
	it('can be run again', async () => {
		service = await startService({ env: { OWNER_EMAIL: ADMIN } });
		const leo = await addUser(service, LEFT);
		const hanna = await addUser(service, HEIR);
		const names = ['A', 'B', 'C', 'D'];
		const uuids: string[] = [];
		for (const name of names) uuids.push((await createContainer(leo, { name })).uuid);
		// The third one can't be moved before the database lets it.
		const when = "when (new.owner_id <> old.owner_id and new.name = 'C')";
		const rules = usesServers
			? [
					"create function stop() returns trigger as $$ begin raise exception 'stopped'; end $$ language plpgsql",
					`create trigger stop before update on containers for each row ${when} execute function stop()`,
				]
			: [
					`create trigger stop before update of owner_id on containers ${when}
						begin select raise(abort, 'stopped'); end;`,
				];
		for (const rule of rules) await service.change(rule);
		const { code, stdout } = await service.run(['users', 'transfer', LEFT, HEIR]);
		expect([code, stdout]).toEqual([1, expect.stringContaining('stopped')]);
		expect([await readNames(leo), await readNames(hanna)]).toEqual([['C'], ['A', 'B', 'D']]);
		await service.change(`drop trigger stop${usesServers ? ' on containers' : ''}`);
		expect(await run('users', 'transfer', LEFT, HEIR)).toContain('has 1 container, 0');
		expect(await readNames(hanna)).toEqual(names);
		const moved = await Promise.all(
			uuids.map(async (uuid) => {
				const actions = await readActions(hanna, `/containers/${uuid}`);
				return actions.filter((action) => action === 'container.transfer').length;
			}),
		);
		expect(moved).toEqual([1, 1, 1, 1]);
		expect(await run('check')).toContain('everything is in order');
	});
});
