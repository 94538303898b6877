import { createHash, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Container, ServiceEvent } from '../support/api.mts';
import { readMails, visit } from '../support/door.mts';
import { filePart, manifestPart, sendForm } from '../support/encode.mts';
import { describeService, startService, type Service } from '../support/service.mts';

const MAX_KILLS = 100;
/** For the kills. The end takes up to a minute more: a lost Idempotency-Key is free again after 30 s. */
const MAX_MS = Number(process.env.CRASH_SECONDS || 1800) * 1000;
const END_MS = 120_000;
const MAX_CONTAINERS = 12;
const MAX_BYTES = 20_000_000;
const OWNER = 'olive@example.com';

const seed = Number(process.env.CRASH_SEED || randomInt(2 ** 31));
let state = seed;
/** From 0 to before 1 (mulberry32). The moments of answers differ in each run all the same. */
function random(): number {
	state = (state + 0x6d2b79f5) | 0;
	let mixed = Math.imul(state ^ (state >>> 15), state | 1);
	mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
	return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
const between = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
const pick = <T,>(list: T[]): T | undefined => list[Math.floor(random() * list.length)];

/** A container that the client asked for, and what it knows about it. */
interface Entry {
	name: string;
	content: Buffer;
	/** `lost`: nobody knows whether it exists. `gone`: it doesn't, and never will again. */
	state: 'sending' | 'lost' | 'exists' | 'deleting' | 'gone';
	uuid: string;
	/** The number of its request. It is sent again until its answer arrives. */
	key?: string;
	retryAt: number;
	/** The rule `opens` that was answered, and the one without an answer. */
	rule: number;
	sentRule?: number;
	/** Openings that were answered, and the one without an answer. */
	opened: number;
	sentOpening?: { email: string; code: string };
	isBusy: boolean;
}

describeService('kill -9', () => {
	let service: Service;
	let isKilled = false;
	let onAction = () => {};
	const entries: Entry[] = [];
	const statistics: Record<string, number> = {};
	const count = (what: string) => (statistics[what] = (statistics[what] ?? 0) + 1);
	let counter = 0;
	let lastEvent = '0';
	/** The events of each container, by action. */
	const events: Record<string, Record<string, number>> = {};

	beforeAll(async () => {
		process.stderr.write(`The seed of the random numbers (CRASH_SEED) is ${seed}.\n`);
		service = await startService({ env: { OWNER_EMAIL: OWNER } });
	});

	afterAll(() => process.stderr.write(`${JSON.stringify(statistics)}\n`));

	const inState = (...states: Array<Entry['state']>) =>
		entries.filter((entry) => states.includes(entry.state));
	const pathOf = ({ uuid }: Entry) => `/containers/${uuid}`;

	/** Sends a form to the door. @returns the status as soon as it arrives */
	const post = async ({ uuid }: Entry, step: string, fields: Record<string, string>) => {
		const { statusCode, body } = await request(`${service.origin}/c/${uuid}/${step}`, {
			method: 'POST',
			dispatcher: service.api.dispatcher,
			headers: { 'content-type': 'application/x-www-form-urlencoded' },
			body: new URLSearchParams(fields).toString(),
		});
		body.dump().catch(() => undefined);
		return statusCode;
	};

	/** Uploads, also again after the answer was lost. */
	const send = async (entry: Entry) => {
		const drm = { dynamic: true, opens: 1000 };
		const manifest = {
			container: { name: entry.name, recipients: ['*@*'], downloadable: true, drm },
		};
		const parts = [manifestPart(manifest), filePart('a.bin', entry.content)];
		const headers: Record<string, string> = entry.key ? { 'idempotency-key': entry.key } : {};
		const response = await sendForm(service, parts, headers);
		if (response.status === 409 && entry.key) {
			expect(response.body.code).toBe('in_progress');
			const seconds = Number(response.headers['retry-after']);
			expect(seconds >= 1 && seconds <= 30).toBe(true);
			entry.retryAt = Date.now() + seconds * 1000;
			return;
		}
		expect([response.status, response.body.container?.name]).toEqual([201, entry.name]);
		const { uuid } = response.body.container;
		if (entry.uuid !== '') {
			expect([uuid, response.headers['idempotency-replayed']]).toEqual([entry.uuid, 'true']);
		}
		Object.assign(entry, { uuid, key: undefined, state: 'exists' });
	};

	const upload = async () => {
		const size = Math.ceil(MAX_BYTES ** random());
		const entry: Entry = {
			...{ name: `Container ${counter++}`, content: Buffer.alloc(size, randomUUID()), uuid: '' },
			...{ state: 'sending', key: random() < 0.5 ? randomUUID() : undefined, retryAt: 0 },
			...{ rule: 1000, opened: 0, isBusy: false },
		};
		entries.push(entry);
		await send(entry);
		count('uploads');
	};

	/** Sends a request with an Idempotency-Key again. */
	const retry = async () => {
		const isDue = ({ key, retryAt, state: now }: Entry) =>
			key !== undefined && retryAt < Date.now() && ['lost', 'exists'].includes(now);
		const entry = pick(entries.filter(isDue));
		if (!entry) return await sleep(10);
		if (entry.state === 'lost') entry.state = 'sending';
		await send(entry);
		if (entry.state === 'sending') entry.state = 'lost';
		else count('retries');
	};

	const change = async (entry: Entry) => {
		entry.sentRule = 1000 + counter++;
		const { status } = await service.api.patch(`${pathOf(entry)}/drm`, { opens: entry.sentRule });
		expect(status).toBe(200);
		entry.rule = entry.sentRule;
		entry.sentRule = undefined;
		count('changes');
	};

	const open = async (entry: Entry) => {
		const email = `visitor${counter++}@example.com`;
		expect(await post(entry, 'code', { email })).toBe(200);
		const findMail = () => readMails(service).find(({ to }) => to === email);
		for (let waited = 0; waited < 15_000 && !findMail() && !isKilled; waited += 20) await sleep(20);
		if (isKilled) return;
		entry.sentOpening = { email, code: findMail()?.code ?? 'no mail' };
		expect(await post(entry, 'open', entry.sentOpening)).toBe(303);
		entry.opened += 1;
		entry.sentOpening = undefined;
		count('openings');
	};

	const remove = async (entry: Entry) => {
		entry.state = 'deleting';
		expect((await service.api.delete(pathOf(entry))).status).toBe(204);
		entry.state = 'gone';
		count('deletions');
	};

	/** Runs an action on a container that no other client uses. */
	const onOne =
		(action: (entry: Entry) => Promise<void>, min = 1) =>
		async () => {
			const free = inState('exists').filter(({ isBusy, key }) => !isBusy && key === undefined);
			const entry = free.length < min ? undefined : pick(free);
			if (!entry) return await sleep(10);
			entry.isBusy = true;
			await action(entry).finally(() => (entry.isBusy = false));
		};

	/** Repeats an action until the service is killed. An answer can only be lost by that. */
	const repeat = async (action: () => Promise<void>) => {
		while (!isKilled) {
			try {
				const running = action();
				onAction();
				await running;
			} catch (error) {
				const isConnection = typeof (error as NodeJS.ErrnoException).code === 'string';
				if (!isKilled || !isConnection) throw error;
			}
		}
	};

	const runClientsUntilKilled = async () => {
		isKilled = false;
		const add = async () =>
			inState('exists').length < MAX_CONTAINERS ? await upload() : await sleep(10);
		const actions = [
			add,
			add,
			add,
			retry,
			onOne(change),
			onOne(open),
			onOne(open),
			onOne(remove, 5),
		];
		const clients = Promise.all(actions.map(repeat));
		const kill = async () => {
			await sleep(between(5, 1000));
			// Every other time, while a request that was just sent is answered.
			if (random() < 0.5) await new Promise<void>((resolve) => (onAction = resolve));
			await sleep(between(0, 30));
			isKilled = true;
			await service.kill();
		};
		await Promise.all([clients, kill()]);
		for (const entry of inState('sending')) {
			entry.state = 'lost';
			count('lost uploads');
		}
	};

	/** Compares what exists with what was answered, and learns what became of the rest. */
	const compare = async () => {
		const listed = await service.api.getAll<Container>(`/users/${service.userId}/containers`);
		const names = new Map(listed.map(({ name, uuid }) => [name, uuid]));
		expect(names.size).toBe(listed.length);
		for (const entry of entries) {
			const uuid = names.get(entry.name);
			const [before, exists] = [entry.state, uuid !== undefined];
			names.delete(entry.name);
			if (before === 'lost' || before === 'deleting') {
				if (before === 'deleting') count(`lost deletions, ${exists ? 'not ' : ''}done`);
				else if (exists) count('lost uploads, done');
				if (exists) entry.state = 'exists';
				else if (before === 'deleting' || !entry.key) entry.state = 'gone';
			} else expect([entry.name, exists]).toEqual([entry.name, before === 'exists']);
			if (exists && entry.uuid !== '') expect(uuid).toBe(entry.uuid);
			if (exists) entry.uuid = uuid!;
			if (before === 'deleting' && entry.state === 'gone') {
				expect((await service.api.get(pathOf(entry))).status).toBe(404);
			}
			if (entry.state === 'gone') entry.content = Buffer.alloc(0);
		}
		// None that nobody asked for.
		expect([...names.keys()]).toEqual([]);
	};

	const expectRule = async (entry: Entry) => {
		const { body } = await service.api.get<{ opens: number }>(`${pathOf(entry)}/drm`);
		if (entry.sentRule) count(`lost changes, ${body.opens === entry.rule ? 'not ' : ''}done`);
		expect([entry.rule, entry.sentRule]).toContain(body.opens);
		Object.assign(entry, { rule: body.opens, sentRule: undefined });
	};

	const getOpenings = async (entry: Entry) =>
		(await service.api.get<Container>(pathOf(entry))).body.opens_used;

	const expectOpenings = async (entry: Entry) => {
		const used = await getOpenings(entry);
		const { sentOpening } = entry;
		if (!sentOpening) return expect([entry.name, used]).toEqual([entry.name, entry.opened]);
		count(`lost openings, ${used === entry.opened ? 'not ' : ''}done`);
		expect([entry.opened, entry.opened + 1]).toContain(used);
		// Who got no answer sends the code again.
		const status = await post(entry, 'open', sentOpening);
		expect(used > entry.opened ? [403] : [303, 403]).toContain(status);
		Object.assign(entry, { opened: used + (status === 303 ? 1 : 0), sentOpening: undefined });
		expect(await getOpenings(entry)).toBe(entry.opened);
	};

	/** The owner opens it, which isn't counted. */
	const expectContent = async (entry: Entry) => {
		const visitor = visit(service, entry);
		expect((await visitor.signIn(OWNER)).status).toBe(303);
		const { status, bytes } = await visitor.getFile(0, { download: true });
		const hash = (content: Buffer) => createHash('sha256').update(content).digest('hex');
		expect([entry.name, status, hash(bytes)]).toEqual([entry.name, 200, hash(entry.content)]);
		count('contents compared');
		const own = (events[entry.uuid] ??= {});
		own.ownerOpenings = (own.ownerOpenings ?? 0) + 1;
	};

	/** Each event belongs to what it tells of: none is missing, none comes twice. */
	const expectEvents = async () => {
		const path = `/users/${service.userId}/events?after=${lastEvent}`;
		for (const { id, container_id, action } of await service.api.getAll<ServiceEvent>(path)) {
			const own = (events[container_id] ??= {});
			own[action] = (own[action] ?? 0) + 1;
			lastEvent = id;
		}
		for (const { name, uuid, rule, opened, state: now } of entries.filter((entry) => entry.uuid)) {
			const own = events[uuid] ?? {};
			expect([name, own['container.create']]).toEqual([name, 1]);
			expect([name, own['container.delete']]).toEqual([name, now === 'gone' ? 1 : undefined]);
			expect([name, own['drm.update'] > 0]).toEqual([name, rule > 1000]);
			if (now === 'gone') continue;
			const openings = (own['container.open'] ?? 0) - (own.ownerOpenings ?? 0);
			expect([name, openings]).toEqual([name, opened]);
		}
	};

	const verify = async (isNew: (entry: Entry) => boolean) => {
		await compare();
		for (const entry of inState('exists')) {
			await expectRule(entry);
			await expectOpenings(entry);
		}
		for (const entry of inState('exists').filter(isNew)) await expectContent(entry);
		await expectEvents();
		const result = expect.stringMatching(
			new RegExp(`^${inState('exists').length} containers?: everything is in order`, 'm'),
		);
		expect(await service.run(['check'])).toEqual({ code: 0, stdout: result, stderr: '' });
	};

	it(
		'loses nothing that was answered, and leaves nothing else',
		async () => {
			const end = Date.now() + MAX_MS;
			for (let kill = 0; kill < MAX_KILLS && Date.now() < end; kill++) {
				const existed = new Set(inState('exists'));
				await runClientsUntilKilled();
				await service.restart();
				await verify((entry) => !existed.has(entry));
				count('kills');
			}
			isKilled = false;
			while (entries.some(({ key, state: now }) => key && now !== 'gone')) {
				expect(Date.now()).toBeLessThan(end + END_MS);
				await retry();
			}
			await verify(() => true);
			expect(statistics.kills).toBeGreaterThan(0);
		},
		MAX_MS + END_MS + 60_000,
	);
});
