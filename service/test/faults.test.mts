import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { waitFor } from '../../tools/processes.cts';
import {
	createContainer,
	filePart,
	manifestPart,
	sendHalves,
	waitForKey,
	type Container,
	type ServiceEvent,
} from './support/api.mts';
import { createPdf, toTextContent } from './support/pdf.mts';
import { startFaultyService } from './support/faultyService.mts';
import { startMailServer } from './support/recipient.cts';
import { createBackend, describeService, startService, times } from './support/service.mts';
import { usesServers, type Service } from './support/service.mts';

const ADA = 'ada@example.com';
const PDF = 'application/pdf';
/** While a part is gone. */
const FAILED = [503, 'failed'];
const onlyOnServers = usesServers ? it : it.skip;
const onlyInFolder = usesServers ? it.skip : it;

type ProxyMode = 'pass' | 'hang' | 'refuse' | { answer: string };

/** Stands in front of a server on this machine. It passes everything, hangs, answers always the same, or is not there. */
async function startTcpProxy(target: number) {
	let mode: ProxyMode = 'pass';
	const sockets = new Set<Socket>();
	const server = createServer((client) => {
		sockets.add(client.on('error', () => undefined));
		client.once('close', () => sockets.delete(client));
		if (mode === 'refuse') client.destroy();
		else if (mode === 'pass') {
			const upstream = connect(target, '127.0.0.1').on('error', () => client.destroy());
			client.pipe(upstream).pipe(client);
			client.once('close', () => upstream.destroy());
		} else if (mode === 'hang') client.resume();
		else client.once('data', () => client.end((mode as { answer: string }).answer)).resume();
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	/** Connections that exist break off. */
	const become = (next: ProxyMode) => {
		mode = next;
		for (const socket of sockets) socket.destroy();
	};
	const stop = () => {
		server.close();
		become('refuse');
	};
	return { port: (server.address() as AddressInfo).port, become, stop };
}

/** A service, and the proxy through which it reaches its database or its storage. */
async function startBehindProxy(setting: 'DATABASE_URL' | 'STORAGE_URL') {
	const backend = await createBackend();
	const url = backend.env[setting];
	const [address, port] = /127\.0\.0\.1:(\d+)/.exec(url)!;
	const proxy = await startTcpProxy(Number(port));
	const changed = url.replace(address, `127.0.0.1:${proxy.port}`);
	const env = { ...backend.env, [setting]: changed, AWS_MAX_ATTEMPTS: '1' };
	return { proxy, service: await startService({ backend: { ...backend, env } }) };
}

const expectClean = async (service: Service, containers: number) => {
	const listed = await service.api.getAll<Container>(`/users/${service.userId}/containers`);
	expect(listed).toHaveLength(containers);
	expect(service.listFiles()).toHaveLength(containers);
	const summary = new RegExp(`^${containers} containers?: everything is in order`);
	const clean = { code: 0, stdout: expect.stringMatching(summary), stderr: '' };
	expect(await service.run(['check'])).toEqual(clean);
};

/** Uploads, and calls `meanwhile` when half of it arrived. */
async function upload(service: Service, meanwhile: () => unknown = () => undefined) {
	const parts = [manifestPart({ container: { name: 'Large' } }), filePart('a', 'x'.repeat(8e6))];
	const key = 'large';
	const act = async () => {
		await waitForKey(service, key);
		await meanwhile();
	};
	return await sendHalves(service, parts, act, { 'idempotency-key': key });
}

describeService('what fails around the service', () => {
	onlyInFolder(
		'a full disk in the middle of an upload leaves nothing, and the same request works later',
		async () => {
			const service = await startFaultyService();
			const { status, body } = await upload(service, () => service.fail({ isDiskFull: true }));
			expect([status, body.code]).toEqual(FAILED);
			await expectClean(service, 0);
			await service.fail({});
			expect((await upload(service)).status).toBe(201);
			await expectClean(service, 1);
		},
	);

	onlyInFolder('a full disk is told by /readyz', async () => {
		const service = await startFaultyService();
		await service.fail({ isDiskFull: true });
		const { dispatcher } = service.api;
		const full = await request(`${service.origin}/readyz`, { dispatcher });
		expect(full.statusCode).toBe(503);
		expect(await full.body.text()).toContain('storage: failed (ENOSPC)\n');
	});

	onlyInFolder(
		'a disk that reads nothing is a problem of the service, not of the file',
		async () => {
			const service = await startFaultyService();
			const pdf = createPdf([{ content: toTextContent('Words') }]);
			const files = { 'a.pdf': pdf, 'b.pdf': pdf, 'c.txt': 'Hello', 'd.csv': '1,2' };
			const types = { 'a.pdf': PDF, 'b.pdf': PDF, 'd.csv': 'text/csv' };
			const container = await createContainer(service, { recipients: [ADA], files, types });
			const visitor = service.visit(container);
			expect((await visitor.signIn(ADA)).text).toContain('Words');
			await service.fail({ isDiskBroken: true });
			const home = `/c/${container.uuid}`;
			for (const index of [1, 2, 3]) {
				const { status, text, headers } = await visitor.go(`${home}?file=${index}`);
				expect([index, status, headers['retry-after']]).toEqual([index, 503, '10']);
				expect(text).toContain('The service has a problem. Try again in a few minutes.');
				expect(text).not.toContain('damaged');
			}
			const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
			const picture = await request(`${service.origin}${home}/files/1/pages/1`, {
				dispatcher: service.api.dispatcher,
				headers: { cookie, 'sec-fetch-dest': 'image' },
			});
			expect(picture.statusCode).toBe(503);
			expect(picture.headers['content-type']).toContain('image/svg+xml');
			expect(service.getOutput().stderr).toContain('EIO: i/o error, open');
			await service.fail({});
			expect((await visitor.go(`${home}?file=1`)).text).toContain('Words');
		},
	);

	const answer = 'HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
	onlyOnServers(
		'a storage that answers 503, or hangs, is an error, and nothing is lost',
		async () => {
			const { proxy, service } = await startBehindProxy('STORAGE_URL');
			const container = await createContainer(service, { recipients: [ADA] });
			const visitor = service.visit(container);
			await visitor.signIn(ADA);
			for (const mode of [{ answer }, 'hang'] as const) {
				const { status, body } = await upload(service, () => proxy.become(mode));
				expect([mode, status, body.code]).toEqual([mode, ...FAILED]);
				const { text } = await visitor.getFile(0);
				expect(text).toContain('Try again in a few minutes');
				proxy.become('pass');
				expect((await visitor.getFile(0)).bytes.toString()).toBe('Hello');
				await expectClean(service, 1);
			}
			expect((await upload(service)).status).toBe(201);
			await expectClean(service, 2);
			proxy.stop();
		},
		180_000,
	);

	onlyOnServers('a restart of PostgreSQL loses no change that was answered', async () => {
		const { proxy, service } = await startBehindProxy('DATABASE_URL');
		const container = await createContainer(service, { drm: { dynamic: true } });
		const path = `/containers/${container.uuid}/drm`;
		const answers: number[] = [];
		let next = 1;
		let isOver = false;
		const change = async () => {
			while (!isOver) answers.push((await service.api.patch(path, { opens: next++ })).status);
		};
		const changing = Promise.all(times(10, change));
		for (const mode of ['refuse', 'pass', 'refuse', 'pass'] as const) {
			await sleep(500);
			proxy.become(mode);
			if (mode === 'pass') continue;
			const page = await service.visit(container).post('code', { email: ADA });
			expect([page.status, page.headers['retry-after']]).toEqual([503, '10']);
			expect(page.text).toContain('Try again in a few minutes');
		}
		const before = answers.length;
		await waitFor(() => answers.slice(before).filter((status) => status === 200).length > 10);
		isOver = true;
		await changing;
		const failed = new Set(answers.filter((status) => status !== 200));
		// Whoever asks when it is just back gets 500.
		expect([...failed].sort()).toEqual(failed.has(500) ? [500, 503] : [503]);
		const list = `/users/${service.userId}/events?limit=1000`;
		const events = await service.api.getAll<ServiceEvent>(list);
		const changes = events.filter(({ action }) => action === 'drm.update').length;
		// An answer can be lost after the change.
		const answered = answers.filter((status) => status === 200).length;
		expect(changes).toBeGreaterThanOrEqual(answered);
		const { headers } = await service.api.get(path);
		expect(headers.etag).toBe(`"${changes + 1}"`);
		await expectClean(service, 1);
		proxy.stop();
	});

	it('a mail server that is down is said on the page, and the code comes when it is back', async () => {
		const server = await startMailServer();
		const proxy = await startTcpProxy(server.port);
		proxy.become('refuse');
		const SMTP_URL = `smtp://127.0.0.1:${proxy.port}`;
		const env = { SMTP_URL, OWNER_EMAIL: 'olive@example.com' };
		const service = await startService({ env });
		const recipients = [ADA, '*@crowd.example'];
		const container = await createContainer(service, { recipients });
		const ada = service.visit(container);
		const people = times(30, (index) => `person-${index}@crowd.example`);
		const ask = async (email: string) => await service.visit(container).post('code', { email });
		await Promise.all(people.map(ask));
		for (const email of [ADA, 'stranger@example.org']) {
			const { status, text } = await ada.post('code', { email });
			expect([status, text]).toEqual([200, expect.stringContaining('Emails can’t be sent')]);
		}
		proxy.become('pass');
		await waitFor(() => server.mails.length > people.length);
		expect(new Set(server.mails.map(({ to }) => to))).toEqual(new Set([ADA, ...people]));
		const { code } = server.mails.find(({ to }) => to === ADA)!;
		expect((await ada.signIn(ADA, code)).status).toBe(303);
		const { text } = await service.visit(container).post('code', { email: ADA });
		expect(text).not.toContain('can’t be sent');
		await waitFor(() => server.mails.length > people.length + 1);
		proxy.stop();
		await server.stop();
	});

	// S3 takes no request of another day.
	onlyInFolder(
		'a clock that jumps a day ends codes and sessions, and locks nobody out',
		async () => {
			const service = await startFaultyService({ CODES_PER_ADDRESS: '2' });
			const container = await createContainer(service, { recipients: [ADA] });
			const early = service.visit(container);
			await early.signIn(ADA);
			const pending = await service.visit(container).requestCode(ADA);
			for (const days of [1, -1]) {
				await service.fail({ days });
				if (days === 1) {
					expect((await early.go()).text).toContain('Sign in');
					expect((await early.signIn(ADA, pending)).status).toBe(403);
				}
				// What was counted today doesn't count on another day.
				expect((await service.visit(container).signIn(ADA)).status).toBe(303);
			}
			await expectClean(service, 1);
		},
	);
});
