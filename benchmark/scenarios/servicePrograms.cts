import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** The arguments with which Node.js runs one of the programs in this file. The program's own follow. */
export const getProgram = (name: keyof typeof PROGRAMS) =>
	['--require', require.resolve('tsx/cjs'), __filename].concat(name);

const PROGRAMS = { plain, read, wait, encrypt };
/** Whose containers the reading server seems to have. */
export const USER_ID = '00000000-0000-4000-8000-000000000001';

const BATCH_BYTES = 1024 * 1024;

/** A server that only writes what it receives, to files in a folder that has its certificate, too. */
async function plain(folder: string): Promise<void> {
	await serve(folder, async (request, response) => {
		const file = await open(join(folder, `plain-${performance.now()}`), 'wx');
		await writeBatches(file, request);
		await file.sync();
		await file.close();
		response.writeHead(201).end();
	});
}

/** A server that only reads what it receives, prints how many bytes, and answers as if it were the service. */
async function read(folder: string): Promise<void> {
	const user = { id: USER_ID, email: 'reader@example.com' };
	const container = { uuid: randomUUID(), owner_id: USER_ID, name: 'Benchmark' };
	await serve(folder, async (request, response) => {
		let bytes = 0;
		for await (const chunk of request) bytes += (chunk as Buffer).length;
		const isUpload = request.method === 'POST';
		if (isUpload) process.stdout.write(`${bytes}\n`);
		response.writeHead(isUpload ? 201 : 200, { 'content-type': 'application/json' });
		response.end(JSON.stringify(isUpload ? { org_id: USER_ID, container } : user));
	});
}

/** A server that answers after the time that a request names, with an empty list. */
async function wait(folder: string): Promise<void> {
	await serve(folder, async (request, response) => {
		const { searchParams } = new URL(request.url!, 'https://localhost');
		await delay(Number(searchParams.get('wait')) * 1000);
		response.setHeader('content-type', 'application/json').end('[]');
	});
}

/** Starts a server with the certificate in a folder, and prints its process and port. */
async function serve(folder: string, answer: RequestListener): Promise<void> {
	const [cert, key] = ['tls.pem', 'tls.key'].map((name) => readFileSync(join(folder, name)));
	const server = createServer({ cert, key }, answer);
	server.listen(0);
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	process.stdout.write(`${JSON.stringify({ pid: process.pid, port })}\n`);
}

/** Encrypts a file with the service's module for age files, and prints the processor time in seconds. */
async function encrypt(module: string, path: string): Promise<void> {
	const { createAgeFile } = await import(pathToFileURL(module).href);
	const start = process.cpuUsage();
	const file = await createAgeFile();
	await writeBatches(await open(devNull, 'w'), file.encrypt(readBatches(path)));
	const { user, system } = process.cpuUsage(start);
	process.stdout.write(String((user + system) / 1e6), () => process.exit());
}

async function* readBatches(path: string): AsyncGenerator<Buffer> {
	const file = await open(path);
	for (;;) {
		const buffer = Buffer.allocUnsafeSlow(BATCH_BYTES);
		const { bytesRead } = await file.read(buffer);
		if (bytesRead === 0) return await file.close();
		yield buffer.subarray(0, bytesRead);
	}
}

async function writeBatches(file: FileHandle, content: AsyncIterable<Buffer>): Promise<void> {
	let batch: Buffer[] = [];
	let size = 0;
	for await (const chunk of content) {
		batch.push(chunk);
		size += chunk.length;
		if (size < BATCH_BYTES) continue;
		await file.writev(batch);
		batch = [];
		size = 0;
	}
	if (size > 0) await file.writev(batch);
}

if (require.main === module) {
	const [name, ...args] = process.argv.slice(2);
	void PROGRAMS[name as keyof typeof PROGRAMS](...(args as [string, string]));
}
