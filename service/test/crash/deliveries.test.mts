import { createHash } from 'node:crypto';
import { utimesSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../../tools/processes.cts';
import { toForm, type Container, type FileRequest, type ServiceEvent } from '../support/api.mts';
import { createContent, MAX_KILLS, MAX_MS, printSeed } from '../support/crashes.mts';
import { random, repeatUntil } from '../support/crashes.mts';
import { describeService, startService, times, type Service } from '../support/service.mts';

const SENDERS = 4;
const AGAIN = 0.3;
const MAX_CONTAINERS = 12;
const OLD = new Date('2020-01-01');

type Visitor = ReturnType<Service['visitRequest']>;

/** What somebody sends, and what they know about it. */
interface Sent {
	name: string;
	form: Buffer;
	sha256: string;
	/** Of the container, once the receipt was shown. */
	uuid?: string;
}

interface Sender {
	visitor: Visitor;
	/** What is sent again and again until its receipt is there, or once more. */
	current?: Sent;
}

describeService('kill -9 while files come by a request', () => {
	let service: Service;
	let request: FileRequest;
	let isKilled = false;
	const senders: Sender[] = [];
	/** By the name of their file. */
	const sent = new Map<string, Sent>();
	/** What the owner has seen, by the name of the file. The service keeps the last of them. */
	const seen = new Map<string, string>();

	beforeAll(async () => {
		printSeed();
		service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
		const path = `/users/${service.userId}/requests`;
		const body = { name: 'Documents', senders: ['*@example.com'], deliveries: 100_000 };
		request = (await service.api.send<FileRequest>('POST', path, { body })).body;
		for (const address of times(SENDERS, (n) => `sender-${n}@example.com`)) {
			const visitor = service.visitRequest(request);
			await visitor.signIn(address);
			senders.push({ visitor });
		}
	});

	const create = (): Sent => {
		const name = `File ${sent.size}`;
		const content = createContent();
		const form = toForm([{ name: 'files', filename: name, content }]);
		const created = { name, form, sha256: createHash('sha256').update(content).digest('hex') };
		sent.set(name, created);
		return created;
	};

	/** As people do: again where no receipt came, and now and then although it came. */
	const send = async (sender: Sender) => {
		const current = (sender.current ??= create());
		const { status, headers } = await sender.visitor.sendFiles(current.form);
		expect([current.name, status]).toEqual([current.name, 303]);
		const [uuid] = /[\da-f-]{36}$/.exec(headers.location) ?? [];
		if (current.uuid !== undefined)
			expect([current.name, uuid]).toEqual([current.name, current.uuid]);
		current.uuid = uuid;
		if (random() < AGAIN) return;
		sender.current = undefined;
		current.form = Buffer.alloc(0);
	};

	const sendUntilKilled = async () => {
		isKilled = false;
		const kill = async () => {
			await sleep(1000 * random());
			isKilled = true;
			await service.kill();
		};
		const run = async (sender: Sender) =>
			await repeatUntil(
				() => isKilled,
				async () => await send(sender),
			);
		await Promise.all([...senders.map(run), kill()]);
	};

	const list = async () => {
		const path = `/users/${service.userId}/containers`;
		return (await service.api.getAll<Container>(path)).map(({ uuid }) => uuid);
	};

	/** Each is whole, and was sent by somebody, once. */
	const expectWhole = async (uuid: string) => {
		const path = `/containers/${uuid}`;
		const { files } = (await service.api.get<{ files: Sent[] }>(path)).body;
		const [{ name, sha256 }] = files;
		expect([name, seen.get(name), sha256]).toEqual([name, undefined, sent.get(name)?.sha256]);
		const { bytes } = await service.api.send('POST', `${path}/decode`, { body: { file: 0 } });
		expect([name, createHash('sha256').update(bytes).digest('hex')]).toEqual([name, sha256]);
		seen.set(name, uuid);
	};

	/** An event is there once where a container is, and the request counts it. */
	const expectCounted = async () => {
		const path = `/users/${service.userId}/events?limit=1000`;
		const events = await service.api.getAll<ServiceEvent>(path);
		for (const action of ['container.create', 'request.deliver']) {
			const ids = events.filter((event) => event.action === action).map((one) => one.container_id);
			expect([action, ids.sort()]).toEqual([action, [...seen.values()].sort()]);
		}
		const { body } = await service.api.get<FileRequest>(`/requests/${request.uuid}`);
		expect(body.delivered).toBe(seen.size);
	};

	const verify = async () => {
		const known = new Set(seen.values());
		const listed = await list();
		for (const uuid of listed.filter((one) => !known.has(one))) await expectWhole(uuid);
		for (const { name, uuid } of sent.values()) {
			if (uuid !== undefined) expect([name, seen.get(name)]).toEqual([name, uuid]);
		}
		await expectCounted();
		const summary = new RegExp(`^${listed.length} containers?: everything is in order`);
		const clean = { code: 0, stdout: expect.stringMatching(summary), stderr: '' };
		expect(await service.run(['check'])).toEqual(clean);
	};

	/** What can be sent again stays. */
	const removeOld = async () => {
		const current = new Set(senders.map((sender) => seen.get(sender.current?.name ?? '')));
		const old = (await list()).slice(0, -MAX_CONTAINERS).filter((uuid) => !current.has(uuid));
		for (const uuid of old) await service.api.delete(`/containers/${uuid}`);
	};

	/** The next start removes what broken deliveries left, when a day is over. */
	const expectNoOrphans = async () => {
		for (const path of service.listFiles()) utimesSync(path, OLD, OLD);
		await service.restart();
		const { length } = await list();
		await waitFor(() => service.listFiles().length <= length, 60_000, 'A file is left.');
		expect(service.listFiles()).toHaveLength(length);
	};

	const test = async () => {
		const end = Date.now() + MAX_MS;
		for (let kill = 0; kill < MAX_KILLS && Date.now() < end; kill++) {
			await sendUntilKilled();
			await service.restart();
			await verify();
			await removeOld();
		}
		for (const sender of senders) while (sender.current) await send(sender);
		await verify();
		expect(seen.size).toBe(sent.size);
		await expectNoOrphans();
		await verify();
	};
	it('leaves nothing half, stores nothing twice, and loses nothing', test, MAX_MS + 240_000);
});
