import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
	filePart,
	manifestPart,
	sendForm,
	type Container,
	type ServiceEvent,
} from '../support/api.mts';
import { createContent, MAX_KILLS, MAX_MS, pick } from '../support/crashes.mts';
import { printSeed, random, repeatUntil } from '../support/crashes.mts';
import { describeService, startService, type Service } from '../support/service.mts';

/** A lost Idempotency-Key is free again after 30 s. */
const END_MS = 120_000;
const MAX_CONTAINERS = 12;
const OWNER = 'olive@example.com';
const FIRST_RULE = 1000;

/** A container that the client asked for, and what it knows about it. */
interface Entry {
	name: string;
	content: Buffer;
	/** `lost`: nobody knows whether it exists. `gone`: it doesn't, and never will again. */
	state: 'sending' | 'lost' | 'exists' | 'deleting' | 'gone';
	uuid?: string;
	/** The number of its request, which is sent again until its answer arrives. */
	key?: string;
	retryAt: number;
	/** The rule `opens` that was answered, and the one without an answer. */
	rule: number;
	sentRule?: number;
	/** How many openings were answered, and whether one has no answer. */
	opened: number;
	isOpening?: boolean;
}

describeService('kill -9', () => {
	let service: Service;
	let isKilled = false;
	const entries: Entry[] = [];
	/** Those that a client works with. */
	const busy = new Set<Entry>();

	beforeAll(async () => {
		printSeed();
		service = await startService({ env: { OWNER_EMAIL: OWNER } });
	});

	const inState = (...states: Array<Entry['state']>) =>
		entries.filter(({ state }) => states.includes(state));
	const pathOf = ({ uuid }: Entry) => `/containers/${uuid}`;

	/** Uploads, also again after the answer was lost. */
	const send = async (entry: Entry) => {
		const drm = { dynamic: true, opens: FIRST_RULE };
		const container = { name: entry.name, recipients: ['*@*'], downloadable: true, drm };
		const parts = [manifestPart({ container }), filePart('a.bin', entry.content)];
		const { key, uuid: known } = entry;
		const sent = await sendForm(service, parts, key ? { 'idempotency-key': key } : {});
		if (key && sent.status === 409 && sent.body.code === 'in_progress') {
			const seconds = Number(sent.headers['retry-after']);
			expect(seconds >= 1 && seconds <= 30).toBe(true);
			return Object.assign(entry, { retryAt: Date.now() + seconds * 1000 });
		}
		expect([sent.status, sent.body.container?.name]).toEqual([201, entry.name]);
		const { uuid } = sent.body.container;
		const replayed = sent.headers['idempotency-replayed'];
		if (known) expect([uuid, replayed]).toEqual([known, 'true']);
		return Object.assign(entry, { uuid, key: undefined, state: 'exists' });
	};

	const upload = async () => {
		if (inState('exists').length >= MAX_CONTAINERS) return await sleep(10);
		const content = createContent();
		const entry: Entry = {
			...{ name: `Container ${entries.length}`, content, state: 'sending', retryAt: 0 },
			...{ key: random() < 0.5 ? randomUUID() : undefined, rule: FIRST_RULE, opened: 0 },
		};
		entries.push(entry);
		await send(entry);
	};

	/** Sends a request with an Idempotency-Key again. */
	const retry = async () => {
		const lost = inState('lost', 'exists').filter(
			({ key, retryAt }) => key && retryAt < Date.now(),
		);
		const entry = pick(lost);
		if (!entry) return await sleep(10);
		if (entry.state === 'lost') entry.state = 'sending';
		await send(entry);
		if (entry.state === 'sending') entry.state = 'lost';
	};

	const change = async (entry: Entry) => {
		const opens = (entry.sentRule = entry.rule + 1);
		expect((await service.api.patch(`${pathOf(entry)}/drm`, { opens })).status).toBe(200);
		Object.assign(entry, { rule: opens, sentRule: undefined });
	};

	const open = async (entry: Entry) => {
		const email = `${randomUUID()}@example.com`;
		const visitor = service.visit({ uuid: entry.uuid! });
		expect((await visitor.post('code', { email })).status).toBe(200);
		const findMail = () => service.readMails().find(({ to }) => to === email);
		for (let waited = 0; waited < 15_000 && !findMail() && !isKilled; waited += 20) await sleep(20);
		if (isKilled) return;
		entry.isOpening = true;
		expect((await visitor.signIn(email, findMail()?.code ?? 'no mail')).status).toBe(303);
		Object.assign(entry, { opened: entry.opened + 1, isOpening: false });
	};

	const remove = async (entry: Entry) => {
		if (inState('exists').length < MAX_CONTAINERS / 2) return await sleep(10);
		entry.state = 'deleting';
		expect((await service.api.delete(pathOf(entry))).status).toBe(204);
		entry.state = 'gone';
	};

	/** An action on a container that no other client works with. */
	const onOne = (action: (entry: Entry) => Promise<void>) => async () => {
		const entry = pick(inState('exists').filter((free) => !busy.has(free) && !free.key));
		if (!entry) return await sleep(10);
		busy.add(entry);
		await action(entry).finally(() => busy.delete(entry));
	};

	const runClientsUntilKilled = async () => {
		isKilled = false;
		const actions = [
			...[upload, upload, upload, retry],
			...[change, open, open, remove].map(onOne),
		];
		const kill = async () => {
			await sleep(1000 * random());
			isKilled = true;
			await service.kill();
		};
		const run = async (action: () => Promise<unknown>) => await repeatUntil(() => isKilled, action);
		await Promise.all([...actions.map(run), kill()]);
		for (const entry of inState('sending')) entry.state = 'lost';
	};

	/** Compares what exists with what was answered, and learns what became of the rest. */
	const expectContainers = async () => {
		const listed = await service.api.getAll<Container>(`/users/${service.userId}/containers`);
		const uuids = new Map(listed.map(({ name, uuid }) => [name, uuid]));
		expect(uuids.size).toBe(listed.length);
		for (const entry of entries) {
			const { name, state, key } = entry;
			const uuid = uuids.get(name);
			uuids.delete(name);
			if (uuid && entry.uuid) expect([name, uuid]).toEqual([name, entry.uuid]);
			if (uuid) Object.assign(entry, { uuid, state: 'exists' });
			// With a key, it is sent again.
			else if (state !== 'lost' || !key) entry.state = 'gone';
			if (state === 'exists' || state === 'gone')
				expect([name, entry.state]).toEqual([name, state]);
		}
		// None that nobody asked for.
		expect([...uuids.keys()]).toEqual([]);
		for (const entry of inState('gone')) entry.content = Buffer.alloc(0);
	};

	const expectRulesAndOpenings = async (entry: Entry) => {
		const { name, rule, sentRule, opened, isOpening } = entry;
		const { body } = await service.api.get<{ opens: number }>(`${pathOf(entry)}/drm`);
		expect([name, [rule, sentRule]]).toEqual([name, expect.arrayContaining([body.opens])]);
		const { opens_used: used } = (await service.api.get<Container>(pathOf(entry))).body;
		const possible = isOpening ? [opened, opened + 1] : [opened];
		expect([name, possible]).toEqual([name, expect.arrayContaining([used])]);
		const known = { rule: body.opens, sentRule: undefined, opened: used, isOpening: false };
		Object.assign(entry, known);
	};

	/** The owner opens it, which isn't counted. */
	const expectContent = async ({ name, uuid = '', content }: Entry) => {
		const visitor = service.visit({ uuid });
		expect((await visitor.signIn(OWNER)).status).toBe(303);
		const { status, bytes } = await visitor.getFile(0, { download: true });
		expect([name, status, bytes.equals(content)]).toEqual([name, 200, true]);
	};

	/** An event is there exactly where what it tells of is. */
	const expectEvents = async () => {
		const path = `/users/${service.userId}/events?limit=1000`;
		const events: Record<string, number> = {};
		for (const { container_id, action, user } of await service.api.getAll<ServiceEvent>(path)) {
			const what = `${action} ${container_id} ${action === 'container.open' && user === OWNER}`;
			events[what] = (events[what] ?? 0) + 1;
		}
		for (const { uuid, rule, opened, state } of entries.filter((entry) => entry.uuid)) {
			const actions = ['container.create', 'drm.update', 'container.open', 'container.delete'];
			const counts = actions.map((action) => events[`${action} ${uuid} false`] ?? 0);
			const deleted = state === 'gone' ? 1 : 0;
			expect([uuid, ...counts]).toEqual([uuid, 1, rule - FIRST_RULE, opened, deleted]);
		}
	};

	const verify = async (contentsOf: (entry: Entry) => boolean) => {
		await expectContainers();
		for (const entry of inState('exists')) await expectRulesAndOpenings(entry);
		for (const entry of inState('exists').filter(contentsOf)) await expectContent(entry);
		await expectEvents();
		const summary = new RegExp(`^${inState('exists').length} containers?: everything is in`, 'm');
		const clean = { code: 0, stdout: expect.stringMatching(summary), stderr: '' };
		expect(await service.run(['check'])).toEqual(clean);
	};

	const test = async () => {
		const end = Date.now() + MAX_MS;
		for (let kill = 0; kill < MAX_KILLS && Date.now() < end; kill++) {
			const earlier = new Set(inState('exists'));
			await runClientsUntilKilled();
			await service.restart();
			await verify((entry) => !earlier.has(entry));
		}
		while (inState('lost', 'exists').some(({ key }) => key)) {
			expect(Date.now()).toBeLessThan(end + END_MS);
			await retry();
		}
		await verify(() => true);
	};
	it('loses nothing that was answered, and leaves nothing else', test, MAX_MS + 2 * END_MS);
});
