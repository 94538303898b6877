import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Agent } from 'undici';
import type { ReceivedPart } from '../../sandbox/index.cts';
import type { SandboxProcess } from '../../sandbox/process.cts';
import { startSandboxProcess } from '../../sandbox/process.cts';
import { BOUNDARY, NAMED, filePart, multipart } from './support/api.cts';
import { useSandbox } from './support/sandbox.cts';

const running = useSandbox();
const MIB = 1024 * 1024;

const [HEAD, TAIL] = (() => {
	const whole = multipart([NAMED, filePart('*', 'large.bin', 'application/octet-stream')]);
	const cut = whole.lastIndexOf('*');
	return [whole.subarray(0, cut), whole.subarray(cut + 1)];
})();

function* uploadOf(chunks: number, chunk: Buffer) {
	yield HEAD;
	for (let index = 0; index < chunks; index++) yield chunk;
	yield TAIL;
}

const headersFor = (apiKey: string) => ({
	authorization: `Bearer ${apiKey}`,
	'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
});

describe('a sandbox in another process', () => {
	let sandbox: SandboxProcess;
	let agent: Agent;
	const chunk = Buffer.alloc(MIB, 'some bytes');

	beforeAll(async () => {
		sandbox = await startSandboxProcess();
		agent = new Agent({ connect: { ca: sandbox.ca } });
	}, 60_000);
	afterAll(async () => {
		await agent.destroy();
		await sandbox.stop();
	});

	const upload = async (mib: number) => {
		const length = HEAD.length + mib * MIB + TAIL.length;
		const response = await agent.request({
			origin: sandbox.origin,
			path: `/api/v1/users/${sandbox.user.id}/containers/encode`,
			method: 'POST',
			headers: { ...headersFor(sandbox.apiKey), 'content-length': String(length) },
			body: Readable.from(uploadOf(mib, chunk), { objectMode: false }),
		});
		await response.body.dump();
		expect(response.statusCode).toBe(200);
		const received = (await sandbox.requests()).at(-1);
		expect(received).toMatchObject({ aborted: false, bytes: length });
		return received?.parts?.[1] as ReceivedPart;
	};
	const peakMib = async () => (await sandbox.memory()).peakBytes / MIB;

	it('hashes and keeps a large file while it arrives', async () => {
		await sandbox.settings({ keepFiles: true });
		const hash = createHash('sha256');
		for (let index = 0; index < 100; index++) hash.update(chunk);
		const sha256 = hash.digest('hex');
		const part = await upload(100);
		expect(part).toMatchObject({ size: 100 * MIB, sha256 });
		const kept = createHash('sha256');
		await pipeline(createReadStream(part.path as string), kept);
		expect(kept.digest('hex')).toBe(sha256);
	}, 120_000);

	it('accepts a gigabyte with no more memory than for a tenth of it', async () => {
		await sandbox.settings({ keepFiles: false, hashFiles: false });
		await upload(100);
		const before = await peakMib();
		expect(await upload(1024)).toMatchObject({ size: 1024 * MIB });
		expect((await peakMib()) - before).toBeLessThan(64);
	}, 240_000);
});

it('records an upload that the client aborts, and creates nothing', async () => {
	const { api, sandbox } = running;
	sandbox.settings.keepFiles = true;
	const control = new AbortController();
	async function* slowly() {
		yield Buffer.concat([HEAD, Buffer.alloc(MIB)]);
		await until(() => sandbox.requests[0]?.bytes > MIB);
		control.abort();
		yield TAIL;
	}
	const attempt = api.agent.request({
		origin: sandbox.origin,
		path: `/api/v1${api.mine('/containers/encode')}`,
		method: 'POST',
		headers: headersFor(sandbox.apiKey),
		body: Readable.from(slowly()),
		signal: control.signal,
	});
	await expect(attempt).rejects.toThrow(/abort/i);
	await until(() => sandbox.requests[0].aborted);
	expect(sandbox.requests[0]).toMatchObject({ bytes: HEAD.length + MIB, aborted: true });
	expect(sandbox.requests[0].status).toBeUndefined();
	expect(sandbox.counts.aborted).toBe(1);
	expect(sandbox.state.containers.size).toBe(0);
	const files = path.join(path.dirname(sandbox.caPath), 'files');
	await until(async () => (await readdir(files)).length === 0);
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
	while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
