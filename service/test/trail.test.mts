import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { inspectTrails } from '../src/containers/inspectTrails.mts';
import { commit, createMac, hashBeginning, hashEvent } from '../src/containers/proofs.mts';
import { createMasterKey, openMasterKeys, type MasterKey } from '../src/containers/masterKeys.mts';
import { signTrail, transact, type EventLine, type Recorder } from '../src/containers/trail.mts';
import {
	anchorTrails,
	beginLegacyTrails,
	eraseFromEvents,
	pruneEvents,
} from '../src/containers/trailUpkeep.mts';
import { findTrail, readEventsAfter, updateEvent, writeTrail } from '../src/database/events.mts';
import { openDatabase } from '../src/database/open.mts';
import type { EventRow, TrailRow } from '../src/database/schema.mts';
import { createContainer, type ServiceEvent } from './support/api.mts';
import { createBackend, createFolder, describeService } from './support/service.mts';
import { startService, usesServers, type Service } from './support/service.mts';

const ADA = 'ada@example.com';
const OLD = '2020-01-01T00:00:00.000Z';

describeService('the trail of an owner', () => {
	let recorder: Recorder;
	let keyFile: string;
	const lines: EventLine[] = [];

	beforeAll(async () => {
		const folder = createFolder();
		keyFile = join(folder, 'master.key');
		writeFileSync(keyFile, `${createMasterKey()}\n`);
		const backend = usesServers ? await createBackend() : undefined;
		const database = await openDatabase(backend?.env.DATABASE_URL, folder);
		const logEvent = (line: EventLine) => void lines.push(line);
		recorder = { database, keys: openMasterKeys(keyFile, {}), logEvent };
	});
	afterAll(async () => await recorder.database.destroy());

	const record = async (ownerId: string, detail: object = {}, user = ADA) =>
		await transact(recorder, async (_queries, add) => {
			const container = { id: randomUUID(), name: 'Größe' };
			const about = { ownerId, container, user, detail: { ...detail } };
			await add({ ...about, action: 'container.open' });
		});
	/** A new owner with six events. */
	const begin = async () => {
		const owner = randomUUID();
		await transact(recorder, async (_queries, add) => {
			await add({ action: 'user.create', ownerId: owner, user: '', detail: {} });
		});
		for (let n = 1; n < 6; n++) await record(owner, { n });
		return owner;
	};
	const read = async (owner: string) => await readEventsAfter(recorder.database, owner, 0);
	const inspect = async (owner: string) => {
		const { problems } = await inspectTrails(recorder);
		return problems.filter((problem) => problem.includes(owner)).join('\n');
	};
	const run = async (text: string) => await sql.raw(text).execute(recorder.database);
	const change = async ({ seq }: EventRow, values: Partial<EventRow>) =>
		await recorder.database.updateTable('events').set(values).where('seq', '=', seq).execute();
	const remove = async (...rows: EventRow[]) =>
		await run(`delete from events where seq in (${rows.map(({ seq }) => seq).join()})`);
	const erase = async (name: string) => {
		const { database, keys } = recorder;
		await database.transaction().execute((queries) => eraseFromEvents(queries, keys, [name]));
	};
	const misfit = (row: EventRow) => `event ${row.seq} is the first that doesn't fit`;
	const changeTrail = async (owner: string, values: Partial<TrailRow>) => {
		const trails = recorder.database.updateTable('trails').set(values);
		await trails.where('owner_id', '=', owner).execute();
	};

	it('is whole after each event, which is a line of the log once it is committed', async () => {
		lines.length = 0;
		const owner = await begin();
		expect(await inspect(owner)).toBe('');
		const rows = await read(owner);
		const { container_id, hash, mac } = rows[5];
		const line = { id: String(rows[5].seq), action: 'container.open', owner_id: owner };
		expect(lines).toHaveLength(6);
		expect(lines[5]).toEqual({ ...line, container_id, hash, mac });
		const failing = transact(recorder, async (_queries, add) => {
			await add({ action: 'user.erase', ownerId: owner, user: '', detail: {} });
			throw new Error('Failed');
		});
		await expect(failing).rejects.toThrow('Failed');
		expect(lines).toHaveLength(6);
		expect([await inspect(owner), await read(owner)]).toEqual(['', rows]);
	});

	it('is whole where ten record at once', async () => {
		const owner = await begin();
		await Promise.all(Array.from({ length: 10 }, async () => await record(owner)));
		expect(await inspect(owner)).toBe('');
		expect(await read(owner)).toHaveLength(16);
	});

	it('is whole after people were erased, with the same hash and nothing to guess by', async () => {
		const owner = await begin();
		await record(owner, { ip: '192.0.2.1' }, 'gone@example.com');
		const before = (await read(owner))[6];
		await erase('gone@example.com');
		const after = (await read(owner))[6];
		const nothing = { user: 'erased', detail: '{}', user_salt: null, detail_salt: null };
		expect(after).toEqual({ ...before, ...nothing, erasure: expect.any(String) });
		await record(owner);
		expect(await inspect(owner)).toBe('');
	});

	it('is whole after old events were deleted, of which none stays', async () => {
		const owner = await begin();
		const rows = await read(owner);
		const moment = new Date(Date.parse(rows[5].created_date) + 1).toISOString();
		while (new Date().toISOString() <= moment);
		await record(owner);
		const { database, keys } = recorder;
		await pruneEvents(database, keys, moment);
		expect(await read(owner)).toHaveLength(1);
		expect(await inspect(owner)).toBe('');
		await record(owner);
		await pruneEvents(database, keys, '2999-01-01T00:00:00.000Z');
		expect([await read(owner), await inspect(owner)]).toEqual([[], '']);
		await record(owner);
		expect(await inspect(owner)).toBe('');
	});

	it('is whole under a new master key alone, and shows what was wrong before', async () => {
		const owner = await begin();
		const other = await begin();
		const { database, keys } = recorder;
		await erase(ADA);
		const cut = (await read(other))[4];
		await run(`delete from events where owner_id = '${other}' and seq > ${cut.seq}`);
		await changeTrail(other, { end_id: cut.seq, end_hash: cut.hash! });
		const old = keys.current();
		writeFileSync(keyFile, `${createMasterKey()}\n${old.secret.toString('base64')}\n`);
		await database.transaction().execute((queries) => anchorTrails(queries, keys));
		writeFileSync(keyFile, `${keys.current().secret.toString('base64')}\n`);
		expect(await inspect(owner)).toBe('');
		await record(owner);
		await record(other);
		expect(await inspect(owner)).toBe('');
		expect(await inspect(other)).toContain(misfit((await read(other)).at(-1)!));
	});

	it('is not added to by a process that does not have the new master key yet', async () => {
		const owner = await begin();
		const old = recorder.keys.current().secret.toString('base64');
		const late = { ...recorder, keys: openMasterKeys('', { first: [old] }) };
		writeFileSync(keyFile, `${createMasterKey()}\n${old}\n`);
		await record(owner);
		const adding = transact(late, async (_queries, add) => {
			await add({ action: 'container.open', ownerId: owner, user: '', detail: {} });
		});
		await expect(adding).rejects.toThrow("the service doesn't have the master key");
		await record(owner);
		expect(await inspect(owner)).toBe('');
	});

	const columns: Array<Partial<EventRow>> = [
		{ created_date: OLD },
		{ action: 'container.delete' },
		{ container_id: randomUUID() },
		{ container_id: null },
		{ container_name: 'Grösse' },
		{ request_id: randomUUID() },
		{ user: 'ben@example.com' },
		{ detail: '{"n":4}' },
		{ user_commitment: commit('user', 'salt', 'ben@example.com') },
		{ hash: null, mac: null },
		{ mac: `${'0'.repeat(16)}:${'0'.repeat(64)}`, hash: '0'.repeat(64) },
		{ user: 'erased', detail: '{}', user_salt: null, detail_salt: null },
	];

	it('shows each event that was changed', async () => {
		for (const values of columns) {
			const owner = await begin();
			const rows = await read(owner);
			await change(rows[2], values);
			expect([values, await inspect(owner)]).toEqual([
				values,
				expect.stringContaining(misfit(rows[2])),
			]);
		}
	});

	/** Makes a chain of these events, as somebody can who knows how, but not the key. */
	const chainAgain = async (rows: EventRow[], before: string, key?: MasterKey) => {
		let hash = before;
		for (const row of rows) {
			hash = hashEvent(hash, row);
			const mac = key ? createMac(key, 'event', hash) : row.mac;
			await change(row, { container_name: row.container_name, hash, mac });
		}
		return { end_hash: hash };
	};

	it('shows an event that was changed with all hashes after it', async () => {
		const owner = await begin();
		const rows = await read(owner);
		const changed = { ...rows[2], container_name: 'Another' };
		const trail = await chainAgain([changed, ...rows.slice(3)], rows[1].hash!);
		await changeTrail(owner, trail);
		expect(await inspect(owner)).toContain(misfit(rows[2]));
	});

	type Attack = (rows: EventRow[], owner: string) => Promise<unknown>;
	/** What is done to six events, and what the check then says. */
	const attacks: Array<[string, Attack, (rows: EventRow[]) => string]> = [
		['the first one taken out', async ([first]) => await remove(first), ([, next]) => misfit(next)],
		['two taken out', async (rows) => await remove(rows[2], rows[3]), (rows) => misfit(rows[4])],
		[
			'the last ones taken out',
			async (rows) => await remove(rows[4], rows[5]),
			(rows) => `those after event ${rows[3].seq} were taken out`,
		],
		[
			'the last ones taken out, and the end set back',
			async (rows, owner) => {
				await remove(rows[4], rows[5]);
				await changeTrail(owner, { end_id: rows[3].seq, end_hash: rows[3].hash! });
			},
			(rows) => `The newest event that is there is ${rows[3].seq}`,
		],
		[
			'the last ones taken out, the end set back, and another one recorded',
			async (rows, owner) => {
				await remove(rows[4], rows[5]);
				await changeTrail(owner, { end_id: rows[3].seq, end_hash: rows[3].hash! });
				await record(owner);
			},
			() => "is the first that doesn't fit",
		],
		[
			'the first ones taken out, and the start moved',
			async (rows, owner) => {
				await remove(rows[0], rows[1]);
				await changeTrail(owner, { start_id: rows[1].seq, start_hash: rows[1].hash! });
			},
			() => 'the record of where they begin and end was changed',
		],
		[
			'all taken out, with the end',
			async (_rows, owner) => {
				await run(`delete from events where owner_id = '${owner}'`);
				await run(`delete from trails where owner_id = '${owner}'`);
				await record(owner);
			},
			() => "is the first that doesn't fit",
		],
		[
			'the trail made as before its beginning',
			async (rows, owner) => {
				await remove(...rows);
				const none = { start_id: rows[5].seq, start_hash: '', end_id: rows[5].seq, end_hash: '' };
				await changeTrail(owner, { ...none, mac: '' });
				await beginLegacyTrails(recorder.database, recorder.keys);
			},
			() => 'the record of where they begin and end was changed',
		],
		[
			'two exchanged',
			async ([, , one, other]) => {
				const free = 'alter table events alter column seq set generated by default';
				if (usesServers) await run(free);
				await change(one, { seq: -1 });
				await change(other, { seq: one.seq });
				await run(`update events set seq = ${other.seq} where seq = -1`);
			},
			(rows) => misfit(rows[2]),
		],
		[
			'one given to another owner',
			async (rows) => await change(rows[2], { owner_id: randomUUID() }),
			(rows) => misfit(rows[3]),
		],
		[
			'one put in at the end',
			async ([, one]) => await copy(one),
			() => "is the first that doesn't fit",
		],
		[
			'one made old, so that the service deletes it',
			async (rows) => {
				await change(rows[0], { created_date: OLD });
				await pruneEvents(recorder.database, recorder.keys, '2021-01-01T00:00:00.000Z');
			},
			(rows) => misfit(rows[1]),
		],
	];
	const copy = async (row: EventRow) => {
		const columns = Object.keys(row).filter((name) => name !== 'seq');
		const names = columns.map((name) => `"${name}"`).join();
		await run(`insert into events (${names}) select ${names} from events where seq = ${row.seq}`);
	};

	describe('Whoever changes, puts in or takes out events in the database is found by check', () => {
		it.each(attacks)('%s', async (_title, attack, expected) => {
			const owner = await begin();
			const rows = await read(owner);
			await attack(rows, owner);
			expect(await inspect(owner)).toContain(expected(rows));
		});
	});

	it('begins together with all others where there were no trails, and is whole from then on', async () => {
		const folder = createFolder();
		const backend = usesServers ? await createBackend() : undefined;
		const database = await openDatabase(backend?.env.DATABASE_URL, folder);
		const { keys } = recorder;
		const owners = [randomUUID(), randomUUID()];
		for (const owner_id of owners) {
			await writeTrail(database, {
				owner_id,
				...{ start_id: 0, start_hash: '', end_id: 0, end_hash: '', mac: '' },
			});
		}
		await beginLegacyTrails(database, keys);
		for (const ownerId of owners) {
			await transact({ ...recorder, database }, async (_queries, add) => {
				await add({ action: 'user.create', ownerId, user: '', detail: {} });
			});
		}
		const { problems, proven } = await inspectTrails({ ...recorder, database });
		await database.destroy();
		expect([problems, proven]).toEqual([[], 2]);
	});

	it('shows one that two owners exchanged', async () => {
		const one = await begin();
		const other = await begin();
		const [ofOne, ofOther] = [await read(one), await read(other)];
		await change(ofOne[3], { owner_id: other });
		await change(ofOther[3], { owner_id: one });
		expect(await inspect(one)).toContain("doesn't fit");
		expect(await inspect(other)).toContain(misfit(ofOne[3]));
	});

	it('does not show an earlier state that was put back as a whole', async () => {
		const owner = await begin();
		const before = (await findTrail(recorder.database, owner))!;
		await record(owner);
		await remove((await read(owner))[6]);
		await writeTrail(recorder.database, before);
		expect(await inspect(owner)).toBe('');
	});

	it('is followed, and pruned, over many pages', async () => {
		const owner = await begin();
		await transact(recorder, async (_queries, add) => {
			const event = { ownerId: owner, user: ADA, detail: { ip: '192.0.2.1' } };
			for (let n = 0; n < 2500; n++) await add({ ...event, action: 'container.open' });
		});
		expect(await inspect(owner)).toBe('');
		await pruneEvents(recorder.database, recorder.keys, '2999-01-01T00:00:00.000Z');
		expect([await read(owner), await inspect(owner)]).toEqual([[], '']);
	});
});

describeService('events', () => {
	let service: Service;
	let events: string;

	beforeAll(async () => {
		service = await startService();
		events = `/users/${service.userId}/events`;
		await createContainer(service, { recipients: [ADA] });
	});

	/** What somebody has who collects the log. */
	const readLog = () =>
		service
			.getOutput()
			.stderr.split('\n')
			.filter((line) => line.includes('"msg":"event"'))
			.map((line) => (JSON.parse(line) as { event: EventLine }).event);

	it('are lines of the log, whatever its level, that show the same as the API', async () => {
		const all = await service.api.getAll<ServiceEvent>(events);
		const shown = all.map(({ id, action, container_id, hash, mac }) => {
			return { id, action, owner_id: service.userId, container_id, hash, mac };
		});
		expect(readLog()).toEqual(shown);
		for (const event of all) {
			expect((await service.api.get(`${events}/${event.id}`)).body).toEqual(event);
		}
		for (const id of ['0', '999999', 'x', '1e3', '9'.repeat(20)]) {
			expect((await service.api.get(`${events}/${id}`)).status).toBe(404);
		}
	});

	it('after an ID that none had yet are refused, with the newest one', async () => {
		const newest = (await service.api.getAll<ServiceEvent>(events)).at(-1)!.id;
		expect((await service.api.get(`${events}?after=${newest}`)).body).toEqual([]);
		for (const more of ['', '&wait=60']) {
			const { status, body } = await service.api.get(`${events}?after=${newest}0${more}`);
			expect([status, body]).toEqual([409, { code: 'after_unknown', newest, message: any }]);
		}
	});

	const any: unknown = expect.any(String);

	it('that somebody makes look older than all trails are missed, since containers know better', async () => {
		const other = await startService();
		await createContainer(other);
		await other.change('delete from events');
		await other.change(
			"update trails set start_id = end_id, start_hash = '', end_hash = '', mac = ''",
		);
		const { code, stdout } = await other.run(['check']);
		const problem = 'the record of where they begin and end was changed';
		expect([code, stdout]).toEqual([1, expect.stringContaining(problem)]);
	});

	(usesServers ? it.skip : it)(
		'Whoever forges events with the master key is found by a copy of the log',
		async () => {
			const folder = service.folder;
			const database = await openDatabase(undefined, folder);
			const keys = openMasterKeys(join(folder, 'master.key'), {});
			const log = readLog();
			const id = service.userId;
			const rows = await readEventsAfter(database, id, 0);
			let hash = hashBeginning(id);
			for (const row of rows) {
				const forged = { ...row, container_name: row.container_name && 'Forged' };
				hash = hashEvent(hash, forged);
				const mac = createMac(keys.current(), 'event', hash);
				const change = { container_name: forged.container_name, hash, mac };
				await updateEvent(database, row.seq, change);
			}
			const trail = (await findTrail(database, id))!;
			await writeTrail(database, signTrail(keys, { ...trail, end_hash: hash }));
			await database.destroy();
			expect(await service.run(['check'])).toMatchObject({ code: 0 });
			const forged = await Promise.all(
				log.map(async (line) => (await service.api.get<EventLine>(`${events}/${line.id}`)).body),
			);
			const differs = forged.map((event, n) => event.hash !== log[n].hash);
			expect(differs).toEqual(log.map(({ container_id: container }) => container !== null));
		},
	);
});
