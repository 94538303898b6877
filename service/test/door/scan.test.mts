import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { toForm, type FileRequest, type ServiceEvent } from '../support/api.mts';
import { createFolder, describeService, startService } from '../support/service.mts';
import type { Service } from '../support/service.mts';

const ANNA = 'anna@example.com';
/** What the scanners of these tests find. */
const SIGNATURE = 'a-signature-of-these-tests';
const MAX_STREAM = 50_000;

/** As clamd does it: chunks with their length before them, then a verdict. */
async function startClamd({ answer }: { answer?: string } = {}) {
	const streams: Buffer[] = [];
	const serve = (socket: Socket) => {
		let received = Buffer.alloc(0);
		socket.on('error', () => undefined);
		socket.on('data', (data) => {
			received = Buffer.concat([received, data]);
			const verdict = read(received, streams, answer);
			// It closes without having read everything: then nobody gets its answer.
			if (verdict === TOO_LARGE && received.length > HEAD_BYTES) socket.resetAndDestroy();
			else if (verdict !== undefined) socket.end(`${verdict}\0`);
		});
	};
	const server: Server = createServer(serve);
	await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as { port: number };
	servers.push(server);
	return { url: `tcp://127.0.0.1:${port}`, streams };
}

const COMMAND = 'zINSTREAM\0';
/** With a length. */
const HEAD_BYTES = COMMAND.length + 4;
const TOO_LARGE = 'INSTREAM size limit exceeded. ERROR';
const servers: Server[] = [];
afterAll(() => servers.forEach((server) => void server.close()));

function read(received: Buffer, streams: Buffer[], answer?: string): string | undefined {
	if (!received.toString('latin1').startsWith(COMMAND)) return undefined;
	const chunks: Buffer[] = [];
	let total = 0;
	for (let at = COMMAND.length; at + 4 <= received.length;) {
		const length = received.readUInt32BE(at);
		total += length;
		if (total > MAX_STREAM) return TOO_LARGE;
		if (length === 0) {
			const stream = Buffer.concat(chunks);
			streams.push(stream);
			return answer ?? (stream.includes(SIGNATURE) ? 'stream: Test.Signature FOUND' : 'stream: OK');
		}
		if (at + 4 + length > received.length) return undefined;
		chunks.push(received.subarray(at + 4, at + 4 + length));
		at += 4 + length;
	}
	return undefined;
}

async function setUp(env: Record<string, string>) {
	const service = await startService({ env: { OWNER_EMAIL: 'olive@example.com', ...env } });
	const path = `/users/${service.userId}/requests`;
	const body = { name: 'Documents', senders: [ANNA] };
	const { body: request } = await service.api.send<FileRequest>('POST', path, { body });
	const anna = service.visitRequest(request);
	await anna.signIn(ANNA);
	const send = async (...contents: Array<string | Buffer>) =>
		await anna.sendFiles(
			toForm(contents.map((content, n) => ({ name: 'files', filename: `file ${n}.txt`, content }))),
		);
	return { service, request, send };
}

const readRefusals = async (service: Service) =>
	(await service.api.getAll<ServiceEvent>(`/users/${service.userId}/events`)).filter(
		({ action }) => action === 'request.refuse',
	);
const countContainers = async (service: Service) =>
	(await service.api.getAll(`/users/${service.userId}/containers`)).length;

describeService('a scanner', () => {
	it('of clamd sees each file before it is stored; what it finds is refused, and an event', async () => {
		const { url, streams } = await startClamd();
		const { service, request, send } = await setUp({ CLAMD_URL: url });
		expect((await send('first', '', Buffer.alloc(40_000, 'x'))).status).toBe(303);
		expect(streams.map(({ length }) => length)).toEqual([5, 0, 40_000]);
		const stored = service.listFiles();
		const { status, text } = await send('clean', `before ${SIGNATURE} behind`, 'not read');
		expect([status, text]).toEqual([
			422,
			expect.stringContaining('A virus scanner found something'),
		]);
		expect(text).toContain('Nothing was sent.');
		expect(await readRefusals(service)).toMatchObject([
			{
				...{ request_id: request.uuid, container_id: null, user: ANNA },
				detail: { ip: '127.0.0.1', found: 'Test.Signature' },
			},
		]);
		expect([await countContainers(service), service.listFiles()]).toEqual([1, stored]);
	});

	it('that is down, or returns no verdict, lets nothing through', async () => {
		const { url } = await startClamd({ answer: 'stream: Something else ERROR' });
		const { service, send } = await setUp({ CLAMD_URL: url });
		const answers = [await send('first')];
		await new Promise((resolve) => servers.at(-1)!.close(resolve));
		answers.push(await send('second'));
		for (const { status, text } of answers) {
			expect([status, text]).toEqual([503, expect.stringContaining('so none are accepted')]);
		}
		expect([await countContainers(service), await readRefusals(service)]).toEqual([0, []]);
		expect(service.listFiles()).toEqual([]);
		const { code, stdout } = await service.run(['doctor']);
		expect([code, stdout]).toEqual([1, expect.stringContaining("The scanner can't be used")]);
	});

	it('of clamd that takes no file of this size is not waited for: a smaller one helps', async () => {
		const { url } = await startClamd();
		const { service, send } = await setUp({ CLAMD_URL: url });
		const { status, text } = await send(Buffer.alloc(60_000));
		expect([status, text]).toEqual([413, expect.stringContaining('Choose fewer or smaller ones')]);
		expect(text).not.toContain('together. At most');
		expect([await countContainers(service), service.listFiles()]).toEqual([0, []]);
	});

	it('of clamd must take what requests allow: doctor says so', async () => {
		const { url } = await startClamd();
		const { service, request } = await setUp({ CLAMD_URL: url, MAX_UPLOAD_BYTES: '50001' });
		expect(request.max_bytes).toBe(50_001);
		const { stdout } = await service.run(['doctor']);
		expect(stdout).toContain('clamd refuses files of 50001 bytes');
	});

	it('can be a command: 0 is clean, 1 a hit, anything else down', async () => {
		const script = join(createFolder(), 'scan.sh');
		writeFileSync(script, `#!/bin/sh\nread -r first\nexit "$first"\n`);
		chmodSync(script, 0o700);
		const { service, send } = await setUp({ SCAN_COMMAND: script });
		const large = Buffer.alloc(3_000_000, 'x');
		const statuses: number[] = [];
		for (const code of ['0\n', '1\n', '2\n']) {
			statuses.push((await send(Buffer.concat([Buffer.from(code), large]))).status);
		}
		expect(statuses).toEqual([303, 422, 503]);
		expect(await countContainers(service)).toBe(1);
		expect(await readRefusals(service)).toMatchObject([
			{ user: ANNA, detail: { ip: '127.0.0.1' } },
		]);
		// It reads no line of an empty file, and ends with 2.
		const { code, stdout } = await service.run(['doctor']);
		expect([code, stdout]).toEqual([1, expect.stringContaining('check SCAN_COMMAND')]);
		writeFileSync(script, '#!/bin/sh\nexec cat > /dev/null\n');
		expect((await service.run(['doctor'])).stdout).not.toContain('SCAN_COMMAND');
	});
});
