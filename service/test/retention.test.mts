import { NOON_ZONE } from '../../test/support/noon.cts';
import { deleteExpiredContainers } from '../src/containers/retention.mts';
import { createCalendar } from '../src/containers/rules.mts';
import * as rows from '../src/database/queries.mts';
import { waitFor } from '../../tools/processes.cts';
import { createContainer, toForm } from './support/api.mts';
import type { Container, ContainerToCreate, FileRequest } from './support/api.mts';
import type { ServiceEvent } from './support/api.mts';
import { createBackend, describeService, startService } from './support/service.mts';
import { times, usesServers, type Service } from './support/service.mts';
import { createVault, storeContainer } from './support/vault.mts';

const ADA = 'ada@example.com';
const DAY_MS = 24 * 60 * 60 * 1000;
const calendar = createCalendar(NOON_ZONE);
const daysAgo = (days: number) => calendar.format(Date.now() - days * DAY_MS);
const env = { OWNER_EMAIL: 'olive@example.com', LOG_LEVEL: 'info', TIME_ZONE: NOON_ZONE };
/** For a start after all is there: the first one could still be looking when something comes. */
const afterTenDays = { DELETE_AFTER_DAYS: '10' };

let service: Service;

const create = async (name: string, end?: string, more: ContainerToCreate = {}) =>
	await createContainer(service, {
		...{ name, drm: { dynamic: true, ...(end && { time: { end } }) } },
		...more,
	});
const readNames = async () => {
	const list = await service.api.getAll<Container>(`/users/${service.userId}/containers`);
	return list.map(({ name }) => name).sort();
};
const readEvents = async ({ uuid }: Container) =>
	await service.api.getAll<ServiceEvent>(`/users/${service.userId}/containers/${uuid}/events`);

describeService('a container on hold', () => {
	let container: Container;

	beforeAll(async () => {
		service = await startService({ env });
		container = await create('Evidence', undefined, { recipients: [ADA] });
	});

	const get = async () => (await service.api.get<Container>(`/containers/${container.uuid}`)).body;

	it('is not deleted, by nobody, until the hold ends', async () => {
		const path = `/containers/${container.uuid}`;
		expect((await get()).on_hold).toBe(false);
		expect((await service.run(['hold', container.uuid.toUpperCase()])).code).toBe(0);
		expect((await get()).on_hold).toBe(true);
		const { status, body } = await service.api.delete(path);
		expect([status, body.code]).toEqual([409, 'on_hold']);
		expect((await service.visit(container).signIn(ADA)).status).toBe(303);
		expect((await service.api.patch(`${path}/drm`, { opens: 5 })).status).toBe(200);

		const owner = await service.run(['users', 'erase', 'olive@example.com']);
		expect([owner.code, owner.stderr]).toEqual([
			2,
			expect.stringContaining(`Container ${container.uuid} is on hold: it can't be deleted.`),
		]);
		const recipient = await service.run(['users', 'erase', ADA]);
		const kept = `Container ${container.uuid} is on hold: its rules stay.\n`;
		expect([recipient.code, recipient.stdout]).toEqual([1, kept]);

		expect((await service.run(['unhold', container.uuid])).code).toBe(0);
		const events = (await readEvents(container)).filter(
			({ action }) => action === 'container.hold',
		);
		expect(events).toMatchObject([
			{ user: '', detail: { on: true } },
			{ user: '', detail: { on: false } },
		]);
		expect((await service.api.delete(path)).status).toBe(204);
	});

	it('has to be there, and not as it is already', async () => {
		const other = await create('Other');
		for (const [command, id, problem] of [
			['hold', 'none', 'There is no container none.'],
			['unhold', other.uuid, `Container ${other.uuid} is not on hold.`],
		]) {
			expect(await service.run([command, id])).toMatchObject({ code: 2, stderr: `${problem}\n` });
		}
	});
});

describeService('DELETE_AFTER_DAYS', () => {
	it('deletes what ended so many days ago, at the start, and nothing else', async () => {
		service = await startService({ env });
		const names = { yesterday: 1, tenth: 10, eleventh: 11, held: 400, spoiled: 400, extended: 11 };
		const entries = Object.entries(names).map(async ([name, days]) => {
			return [name, await create(name, daysAgo(days))] as const;
		});
		const containers = Object.fromEntries(await Promise.all(entries));
		await create('endless');
		const fixed = await create('fixed', undefined, { drm: { time: { end: daysAgo(400) } } });
		await service.run(['hold', containers.held.uuid]);
		// Somebody who writes to the database deletes nothing so.
		await service.change(`update containers set rules = replace(rules, '20', '19')
			where id = '${containers.spoiled.uuid}'`);
		const end = { time: { end: daysAgo(-5) } };
		await service.api.patch(`/containers/${containers.extended.uuid}/drm`, end);
		const files = service.listFiles().length;
		await service.restart(afterTenDays);

		const { stderr } = service.getOutput();
		const isDone = () => service.getOutput().stderr.includes('Containers beyond DELETE_AFTER_DAYS');
		await waitFor(isDone, 60_000, stderr);
		expect(service.getOutput().stderr).toContain(
			`"deleted":2,"onHold":["${containers.held.uuid}"],"msg":"Containers beyond DELETE_AFTER_DAYS"`,
		);
		expect(service.getOutput().stderr).toContain('it was changed outside of the service');
		const kept = ['endless', 'extended', 'held', 'spoiled', 'tenth', 'yesterday'];
		expect(await readNames()).toEqual(kept);
		// On S3, an object is several files.
		await waitFor(() => service.listFiles().length === (files * 6) / 8, 60_000);
		for (const container of [containers.eleventh, fixed]) {
			const [last] = (await readEvents(container)).slice(-1);
			const detail = { reason: 'retention' };
			expect(last).toMatchObject({ action: 'container.delete', user: '', detail });
		}
	});
});

describeService('the deletion of what ended', () => {
	it('spares what is put on hold after it was read', async () => {
		const { vault, end } = await createVault();
		const { database } = vault;
		const rules = { dynamic: false, time: { end: daysAgo(400) } };
		const container = await storeContainer(vault, rules);
		const begun = database.transaction();
		const execute = begun.execute.bind(begun);
		jest.spyOn(database, 'transaction').mockReturnValueOnce(begun);
		const held = { held_date: new Date().toISOString() };
		jest.spyOn(begun, 'execute').mockImplementationOnce(async (run) => {
			await rows.updateContainer(database, container.id, held);
			return await execute(run);
		});
		const onError = jest.fn();
		const found = await deleteExpiredContainers(vault, { calendar, afterDays: 10 }, onError);
		expect([found.deleted, onError.mock.calls]).toEqual([0, []]);
		expect(await rows.findContainer(database, container.id)).toBeDefined();
		await end();
	});
});

describeService('DELETE_AFTER_DAYS for requests for files', () => {
	it('deletes those that ended so many days ago, and nothing that came', async () => {
		service = await startService({ env });
		const path = `/users/${service.userId}/requests`;
		const ask = async (name: string, days?: number) => {
			const body = { name, senders: [ADA], ...(days && { time: { end: daysAgo(days) } }) };
			return (await service.api.send<FileRequest>('POST', path, { body })).body;
		};
		const over = await ask('eleventh', 11);
		for (const [name, days] of [
			['tenth', 10],
			['spoiled', 400],
		] as const)
			await ask(name, days);
		const endless = await ask('endless');
		const ada = service.visitRequest(endless);
		await ada.signIn(ADA);
		const form = toForm([{ name: 'files', filename: 'a.txt', content: 'Hello' }]);
		expect((await ada.sendFiles(form)).status).toBe(303);
		// Somebody who writes to the database deletes nothing so.
		await service.change(
			`update requests set settings = replace(settings, '"end":"20', '"end":"19') where name = 'spoiled'`,
		);
		await service.restart(afterTenDays);

		const read = () => service.getOutput().stderr;
		await waitFor(() => read().includes('Requests for files beyond'), 60_000, 'None is deleted.');
		expect(read()).toContain('"requests":1,"msg":"Requests for files beyond DELETE_AFTER_DAYS"');
		expect(read()).toContain('it was changed outside of the service');
		const kept = (await service.api.getAll<FileRequest>(path)).map(({ name }) => name);
		expect(kept.sort()).toEqual(['endless', 'spoiled', 'tenth']);
		const events = await service.api.getAll<ServiceEvent>(`/users/${service.userId}/events`);
		expect(events.filter(({ action }) => action === 'request.delete')).toMatchObject([
			{ request_id: over.uuid, user: '', detail: { reason: 'retention' } },
		]);
		expect(await readNames()).toEqual(['endless']);
	});
});

(usesServers ? describeService : describe.skip)('two processes with DELETE_AFTER_DAYS', () => {
	it('delete each container once', async () => {
		const backend = await createBackend();
		service = await startService({ backend, env });
		const containers = await Promise.all(
			times(30, async (n) => await create(`Old ${n}`, daysAgo(50))),
		);
		const others = await Promise.all(
			times(2, async () => await startService({ backend, env: { ...env, ...afterTenDays } })),
		);
		await waitFor(async () => (await readNames()).length === 0, 60_000);
		const deletions = await Promise.all(
			containers.map(async (container) => {
				const events = await readEvents(container);
				return events.filter(({ action }) => action === 'container.delete').length;
			}),
		);
		expect(deletions).toEqual(containers.map(() => 1));
		for (const { getOutput } of others) expect(getOutput().stderr).not.toContain('failed');
	});
});
