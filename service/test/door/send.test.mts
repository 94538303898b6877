import { createHash, randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../../tools/processes.cts';
import { toForm, waitForFile } from '../support/api.mts';
import type { Container, FileRequest, ServiceEvent } from '../support/api.mts';
import { describeService, MAIL_TIME_MS, runCommand, startService } from '../support/service.mts';
import { addUser, times, usesServers, type Service } from '../support/service.mts';

const ANNA = 'anna@example.com';
const BEN = 'ben@example.com';
const CARL = 'carl@example.com';
const OLIVE = 'olive@example.com';

type Files = Record<string, string | Buffer>;

let service: Service;

const ask = async (request: object = {}) => {
	const path = `/users/${service.userId}/requests`;
	const body = { name: 'Tax return', senders: [ANNA, BEN], ...request };
	const created = await service.api.send<FileRequest>('POST', path, { body });
	expect(created.status).toBe(201);
	return created.body;
};
const toParts = (files: Files) =>
	Object.entries(files).map(([filename, content]) => ({
		...{ name: 'files', filename, type: 'text/plain', content },
	}));
/** As a browser sends the form, with the second input left empty. */
const createForm = (files: Files) =>
	toForm([
		...toParts(files),
		{ name: 'files', filename: '', type: 'application/octet-stream', content: '' },
	]);
const signIn = async (request: FileRequest, address: string, ip?: string) => {
	const visitor = service.visitRequest(request, ip);
	await visitor.signIn(address);
	return visitor;
};
const listContainers = async ({ uuid }: FileRequest) => {
	const all = await service.api.getAll<Container>(`/users/${service.userId}/containers`);
	const details = await Promise.all(
		all.map(async (one) => (await service.api.get<Sent>(`/containers/${one.uuid}`)).body),
	);
	return details.filter(({ request_id }) => request_id === uuid);
};
const readDelivered = async ({ uuid }: FileRequest) =>
	(await service.api.get<FileRequest>(`/requests/${uuid}`)).body.delivered;
const readEvents = async ({ uuid }: FileRequest) =>
	(await service.api.getAll<ServiceEvent>(`/users/${service.userId}/events`)).filter(
		({ request_id }) => request_id === uuid,
	);
const toSha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

interface Sent extends Container {
	files: Array<{ name: string; type: string; size: number; sha256: string }>;
	request_id?: string;
	sender?: string;
}

beforeAll(async () => {
	service = await startService({ env: { OWNER_EMAIL: OLIVE, MAX_UPLOAD_BYTES: '3000000' } });
});

describeService('whoever a request names', () => {
	it('signs in with a code, sees what is asked for, and sends files to its owner alone', async () => {
		const request = await ask({ message: 'The receipts,\nplease', max_files: 3, deliveries: 2 });
		const anna = service.visitRequest(request);
		const door = await anna.go();
		expect(door.text).toContain('Sign in to send files');
		expect(door.text).not.toContain('Tax return');
		const page = await anna.signIn(ANNA);
		for (const text of ['Tax return', OLIVE, 'The receipts,', 'Up to 3 files', '3 MB together']) {
			expect(page.text).toContain(text);
		}
		expect(page.text).toContain('You can send 2 more times');

		const files = { 'a b.txt': 'Hello', 'größe 2026.csv': 'x;y' };
		const sent = await anna.sendFiles(createForm(files));
		expect([sent.status, sent.text]).toEqual([303, expect.stringContaining('Your files arrived')]);
		for (const [name, content] of Object.entries(files)) {
			expect(sent.text).toContain(`${name} ${Buffer.byteLength(content)} bytes, SHA‑256:`);
			expect(sent.text).toContain(toSha256(content));
		}

		const [container, ...others] = await listContainers(request);
		expect(others).toEqual([]);
		expect(container).toMatchObject({
			name: 'Tax return',
			owner_id: service.userId,
			request_id: request.uuid,
			sender: ANNA,
			files: Object.entries(files).map(([name, content]) => ({
				...{ name, type: 'text/plain' },
				...{ size: Buffer.byteLength(content), sha256: toSha256(content) },
			})),
		});
		const rules = await service.api.get(`/containers/${container.uuid}/drm`);
		expect(rules.body).toEqual({ dynamic: true, recipients: [], downloadable: true });
		const about = { container_id: container.uuid, container_name: 'Tax return', user: ANNA };
		expect((await readEvents(request)).slice(1)).toMatchObject([
			{ ...about, action: 'container.create' },
			{ ...about, action: 'request.deliver', detail: { ip: '127.0.0.1' } },
		]);
		expect(await readDelivered(request)).toBe(1);
		const owner = service.visit(container);
		await owner.signIn(OLIVE);
		expect((await owner.getFile(0)).bytes.toString()).toBe('Hello');
	});

	it('gets a receipt by mail without a name, and finds it at the link', async () => {
		const request = await ask();
		const anna = await signIn(request, ANNA);
		await anna.sendFiles(createForm({ 'secret name.pdf': 'Hello' }));
		const find = () =>
			service
				.readMails()
				.find(({ subject, text }) =>
					[subject.startsWith('Receipt'), text.includes(request.uuid)].every(Boolean),
				);
		await waitFor(() => find() !== undefined, 60_000, 'No receipt was mailed.');
		const mail = find()!;
		expect(mail.to).toBe(ANNA);
		for (const text of ['1 file, 5 bytes', toSha256('Hello'), `${service.origin}/r/`]) {
			expect(mail.text).toContain(text);
		}
		expect(JSON.stringify(mail)).not.toContain('secret');

		const [container] = await listContainers(request);
		const page = await anna.go();
		expect(page.html).toContain(`/r/${request.uuid}/sent/${container.uuid}"`);
		expect((await anna.go(`/r/${request.uuid}/sent/${container.uuid}`)).text).toContain(
			'secret name.pdf',
		);
		expect((await anna.go(`/c/${container.uuid}`)).text).toContain('Sign in to open');
		await service.api.delete(`/containers/${container.uuid}`);
		expect((await anna.go(`/r/${request.uuid}/sent/${container.uuid}`)).text).not.toContain(
			'secret',
		);
	});

	it('has a session of half an hour after each delivery, which can take longer than the one before', async () => {
		const anna = await signIn(await ask(), ANNA);
		const { headers } = await anna.sendFiles(createForm({ 'a.txt': 'Hello' }));
		expect(String(headers['set-cookie'])).toMatch(/^session=[^;]+;.*Max-Age=1800/i);
	});

	it('learns nothing about what others sent', async () => {
		const request = await ask();
		const anna = await signIn(request, ANNA);
		const receipt = await anna.sendFiles(createForm({ 'annas.pdf': 'Hello' }));
		expect(receipt.text).toContain('annas.pdf');
		const [container] = await listContainers(request);
		const ben = await signIn(request, BEN);
		const pages = [await ben.go(), await ben.go(`/r/${request.uuid}/sent/${container.uuid}`)];
		for (const { html } of pages) {
			for (const secret of ['annas.pdf', ANNA, container.uuid]) expect(html).not.toContain(secret);
		}
	});

	it('sends once, however often the button is tapped, and what differs is another delivery', async () => {
		const request = await ask({ deliveries: 1 });
		const anna = await signIn(request, ANNA);
		const form = createForm({ 'a.txt': 'same', 'b.txt': '2' });
		const before = service.listFiles().length;
		const taps = await Promise.all(times(3, async () => await anna.sendFiles(form)));
		taps.push(await anna.sendFiles(form));
		const receipts = new Set(taps.map(({ headers }) => headers.location));
		expect([taps.map(({ status }) => status), receipts.size]).toEqual([[303, 303, 303, 303], 1]);
		expect([await readDelivered(request), service.listFiles().length - before]).toEqual([1, 1]);
		const actions = (await readEvents(request)).map(({ action }) => action);
		expect(actions).toEqual(['request.create', 'container.create', 'request.deliver']);
		const isReceipt = ({ subject, text }: { subject: string; text: string }) =>
			[subject.startsWith('Receipt'), text.includes(request.uuid)].every(Boolean);
		await waitFor(() => service.readMails().some(isReceipt));
		// Time for a second one.
		await sleep(MAIL_TIME_MS);
		expect(service.readMails().filter(isReceipt)).toHaveLength(1);

		const other = await ask({ senders: [ANNA, CARL] });
		const visitors = [await signIn(other, ANNA), await signIn(other, CARL)];
		await visitors[0].sendFiles(form);
		await visitors[0].sendFiles(createForm({ 'a.txt': 'same', 'c.txt': '2' }));
		await visitors[0].sendFiles(createForm({ 'a.txt': 'same', 'b.txt': '3' }));
		await visitors[1].sendFiles(form);
		expect(await readDelivered(other)).toBe(4);
		const [first] = await listContainers(other);
		await service.api.delete(`/containers/${first.uuid}`);
		await visitors[0].sendFiles(form);
		expect(await readDelivered(other)).toBe(5);
	});

	it('sends as often as the request says, also with many at once', async () => {
		const request = await ask({ deliveries: 3 });
		const anna = await signIn(request, ANNA);
		const answers = await Promise.all(
			times(8, async (n) => await anna.sendFiles(createForm({ [`${n}.txt`]: `${n}` }))),
		);
		expect(answers.map(({ status }) => status).sort()).toEqual([
			303, 303, 303, 422, 422, 422, 422, 422,
		]);
		expect([await readDelivered(request), (await listContainers(request)).length]).toEqual([3, 3]);
		expect((await anna.go()).text).toContain('Everything that this request takes has arrived');
		const more = await anna.sendFiles(createForm({ 'more.txt': 'x' }));
		expect([more.status, more.text]).toEqual([422, expect.stringContaining('Nothing was sent')]);
	});
});

describeService('the page after a delivery that was not stored', () => {
	/** Sends a form, and does something in the middle of it. */
	const sendSlowly = async (visitor: Awaited<ReturnType<typeof signIn>>, act: () => unknown) => {
		const before = service.listFiles();
		const body = new PassThrough();
		const sent = visitor.sendFiles(body);
		const form = createForm({ a: 'x'.repeat(1000) });
		body.write(form.subarray(0, 500));
		await waitForFile(service, before);
		await act();
		body.end(form.subarray(500));
		return await sent;
	};

	it('asks for nothing where somebody else took the last place meanwhile', async () => {
		const request = await ask({ deliveries: 1, senders: [ANNA, CARL] });
		const anna = await signIn(request, ANNA);
		const carl = await signIn(request, CARL);
		const { status, text, html } = await sendSlowly(anna, async () => {
			expect((await carl.sendFiles(createForm({ b: '2' }))).status).toBe(303);
		});
		expect([status, text]).toEqual([422, expect.stringContaining('Everything that this request')]);
		expect(text).not.toContain('You can send');
		expect(html).not.toContain('type="file"');
		// Nothing is read where nothing can be stored.
		const body = new PassThrough();
		const late = anna.sendFiles(body);
		body.write(createForm({ a: 'x'.repeat(1000) }).subarray(0, 500));
		expect((await late).status).toBe(422);
		body.end();
	});

	it('names whoever owns the request now', async () => {
		const [rosa, tom] = ['rosa@example.com', 'tom@example.com'];
		const { api, userId } = await addUser(service, rosa);
		await addUser(service, tom);
		const body = { name: 'Handed over', senders: [ANNA] };
		const path = `/users/${userId}/requests`;
		const { body: request } = await api.send<FileRequest>('POST', path, { body });
		const anna = await signIn(request, ANNA);
		const { status, text } = await sendSlowly(
			anna,
			async () => await runCommand(service, 'users', 'transfer', rosa, tom),
		);
		expect([status, text]).toEqual([422, expect.stringContaining('Send them again.')]);
		expect(text).toContain(`Requested by ${tom}`);
	});
});

describeService('what is beyond a limit', () => {
	it.each<[string, object, Files, string]>([
		['files', { max_files: 2 }, { a: '1', b: '2', c: '3' }, 'At most 2 files are possible'],
		['bytes', { max_bytes: 10 }, { a: '12345', b: '123456' }, 'The files are too large'],
		['none', {}, {}, 'Choose at least one file'],
		['a name', {}, { ['x'.repeat(256)]: '1' }, 'The name of a file is too long'],
	])('(%s) is refused, and nothing is stored', async (_title, more, files, sentence) => {
		const request = await ask(more);
		const anna = await signIn(request, ANNA);
		const before = service.listFiles();
		const { status, text } = await anna.sendFiles(createForm(files));
		expect(status === 413 || status === 422).toBe(true);
		expect(text).toContain('Nothing was sent.');
		expect(text).toContain(sentence);
		expect([await readDelivered(request), await listContainers(request)]).toEqual([0, []]);
		expect(service.listFiles()).toEqual(before);
	});

	it('is exactly what is more than the limit', async () => {
		const request = await ask({ max_files: 2, max_bytes: 10 });
		const anna = await signIn(request, ANNA);
		expect((await anna.sendFiles(createForm({ a: '12345', b: '12345' }))).status).toBe(303);
		expect(await readDelivered(request)).toBe(1);
	});

	it('is refused by its length before it is read, and the page arrives', async () => {
		const request = await ask({ max_bytes: 1000 });
		const anna = await signIn(request, ANNA);
		const form = createForm({ 'large.bin': Buffer.alloc(20_000_000) });
		const { status, text } = await anna.sendFiles(form);
		expect([status, text]).toEqual([
			413,
			expect.stringContaining('The files have 20 MB together. At most 1 kB are possible.'),
		]);
	});

	it('is cut off while it arrives, where its length is not known', async () => {
		const request = await ask({ max_bytes: 1000 });
		const anna = await signIn(request, ANNA);
		const body = new PassThrough();
		const sent = anna.sendFiles(body);
		body.write(createForm({ a: Buffer.alloc(2000) }).subarray(0, 1800));
		const { status, text } = await sent;
		expect([status, text]).toEqual([413, expect.stringContaining('Choose fewer or smaller ones')]);
		body.end();
	});
});

describeService('a delivery', () => {
	it('that breaks off leaves nothing', async () => {
		const request = await ask();
		const anna = await signIn(request, ANNA);
		const before = service.listFiles();
		const body = new PassThrough();
		const sent = anna.sendFiles(body).catch((error: Error) => error);
		body.write(createForm({ a: Buffer.alloc(900_000) }).subarray(0, 500_000));
		await waitForFile(service, before);
		body.destroy(new Error('broken off'));
		expect(await sent).toBeInstanceOf(Error);
		await waitFor(() => service.listFiles().length === before.length, 60_000, 'A file is left.');
		expect([await readDelivered(request), await listContainers(request)]).toEqual([0, []]);
	});

	it.each<[string, (request: FileRequest) => Promise<unknown>, string]>([
		[
			'was closed',
			async ({ uuid }) => await service.api.delete(`/requests/${uuid}`),
			'This request has ended',
		],
		[
			'was erased for the sender',
			async () => await runCommand(service, 'users', 'erase', ANNA),
			`Files are no longer requested from ${ANNA}`,
		],
	])('to a request that %s while it arrives is not stored', async (_title, end, sentence) => {
		const request = await ask({ senders: [ANNA, BEN] });
		const anna = await signIn(request, ANNA);
		const before = service.listFiles();
		const body = new PassThrough();
		const sent = anna.sendFiles(body);
		const form = createForm({ a: 'x'.repeat(1000) });
		body.write(form.subarray(0, 500));
		await waitForFile(service, before);
		await end(request);
		body.end(form.subarray(500));
		expect((await sent).text).toContain(sentence);
		expect(await listContainers(request)).toEqual([]);
		expect(service.listFiles()).toEqual(before);
	});

	it('without a session says that nothing was sent, and asks to sign in', async () => {
		const request = await ask();
		const { status, text } = await service.visitRequest(request).sendFiles(createForm({ a: '1' }));
		expect([status, text]).toEqual([403, expect.stringContaining('Nothing was sent.')]);
		expect(text).toContain('Sign in to send files');
	});
});

describeService('the door of a request', () => {
	it('looks the same for a request that is not there, and mails no code to a stranger', async () => {
		const request = await ask();
		const missing = { url: `${service.origin}/r/9a1f4c2b-6e5d-4d8a-b7c3-1f0e2d3c4b5a` };
		const texts = await Promise.all(
			[request, missing].map(async (one) => {
				const stranger = service.visitRequest(one);
				const page = await stranger.go();
				const code = await stranger.post('code', { email: 'mallory@example.com' });
				return [page.status, page.text, code.status, code.text];
			}),
		);
		expect(texts[0]).toEqual(texts[1]);
		await sleep(MAIL_TIME_MS);
		expect(service.readMails().filter(({ to }) => to === 'mallory@example.com')).toEqual([]);
		await waitFor(async () => (await readEvents(request)).length === 2, 60_000, 'No event.');
		expect((await readEvents(request))[1]).toMatchObject({
			...{ action: 'code.refuse', user: 'mallory@example.com', container_id: null },
		});
	});

	it.each([
		[{ end: '2020-01-31' }, 'Files could be sent until 31 January 2020'],
		[{ start: '2099-12-01' }, 'Files can be sent from 1 December 2099 on'],
	])('is closed before and after its days (%j)', async (time, sentence) => {
		const request = await ask({ time });
		const anna = service.visitRequest(request);
		const page = await anna.signIn(ANNA);
		expect(page.text).toContain(sentence);
		const { status, text } = await anna.sendFiles(createForm({ a: '1' }));
		expect([status, text]).toEqual([403, expect.stringContaining(sentence)]);
		expect(await readDelivered(request)).toBe(0);
	});

	it('opens to nobody with the session of another request', async () => {
		const [first, second] = [await ask(), await ask({ senders: [BEN] })];
		const anna = await signIn(first, ANNA);
		const other = service.visitRequest(second);
		for (const [name, value] of anna.cookies) other.cookies.set(name, value);
		expect((await other.go()).text).toContain('Sign in to send files');
		expect((await other.sendFiles(createForm({ a: '1' }))).status).toBe(403);
	});

	it.each([
		['its owner', (userId: string) => `owner_id = '${userId}'`],
		['its senders', () => `settings = replace(settings, '${ANNA}', 'mallory@example.org')`],
	])(
		'Whoever changes a request for files in the database, such as its owner or its senders, gets no file by it (%s)',
		async (_, getChange) => {
			const request = await ask({ name: 'Forged' });
			const address = `${randomUUID()}@example.org`;
			const { userId } = await addUser(service, address);
			const anna = await signIn(request, ANNA);
			await service.change(`update requests set ${getChange(userId)} where name = 'Forged'`);
			expect((await anna.sendFiles(createForm({ a: '1' }))).status).toBe(500);
			expect(await listContainers(request)).toEqual([]);
			await service.change(`delete from requests where name = 'Forged'`);
		},
	);
});

describeService('a user whose files come by requests', () => {
	it('gives them to another one, with what came', async () => {
		const leo = await addUser(service, 'leo@example.com');
		const hanna = await addUser(service, 'hanna@example.com');
		const body = { name: 'Moved', senders: [ANNA] };
		const path = `/users/${leo.userId}/requests`;
		const { body: request } = await leo.api.send<FileRequest>('POST', path, { body });
		const anna = await signIn(request, ANNA);
		await anna.sendFiles(createForm({ a: '1' }));
		const said = await runCommand(service, 'users', 'disable', 'leo@example.com');
		expect(said).toContain('Still open for senders: 1 request for files.');
		await runCommand(service, 'users', 'transfer', 'leo@example.com', 'hanna@example.com');
		expect((await anna.sendFiles(createForm({ b: '2' }))).status).toBe(303);
		const list = await hanna.api.getAll<Container>(`/users/${hanna.userId}/containers`);
		expect(list.map(({ name }) => name)).toEqual(['Moved', 'Moved']);
		expect((await hanna.api.get<FileRequest>(`/requests/${request.uuid}`)).body).toMatchObject({
			...{ owner_id: hanna.userId, delivered: 2 },
		});
	});

	/** A user with a request, and a sender who has used it. */
	async function receiveFrom(email: string) {
		const { userId, api } = await addUser(service, email);
		const body = { name: 'Closed', senders: [BEN] };
		const path = `/users/${userId}/requests`;
		const { body: request } = await api.send<FileRequest>('POST', path, { body });
		const ben = await signIn(request, BEN);
		await ben.sendFiles(createForm({ a: '1' }));
		return { userId, api, request, ben };
	}

	it('shows who sent in an export, until they are erased', async () => {
		const { userId, api, request } = await receiveFrom('eva@example.com');
		const exported = JSON.parse(await runCommand(service, 'users', 'export', BEN)) as object;
		expect(exported).toMatchObject({
			sent: [{ name: 'Closed' }],
			senderOf: expect.arrayContaining([{ uuid: request.uuid, name: 'Closed' }]),
		});
		await runCommand(service, 'users', 'erase', BEN);
		const after = JSON.parse(await runCommand(service, 'users', 'export', BEN)) as object;
		expect(after).toMatchObject({ sent: [], senderOf: [] });
		const [container] = await api.getAll<Container>(`/users/${userId}/containers`);
		const { body: record } = await api.get<Sent>(`/containers/${container.uuid}`);
		expect(record.sender).toBe('erased');
	});

	it('is closed with --close, and all that came can be checked', async () => {
		const { ben } = await receiveFrom('erik@example.com');
		await runCommand(service, 'users', 'disable', 'erik@example.com', '--close');
		expect((await ben.go()).status).toBe(403);
		// Otherwise, the keys come from outside.
		if (!usesServers) await runCommand(service, 'master-key', 'rotate');
		await runCommand(service, 'check');
	});
});
