import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import type { RunNodeOptions } from '../../../support/engine.cts';
import { rewrite, type Handler } from '../../../support/proxy.cts';
import { storedFile, useUploads } from '../../support/uploads.cts';

const RUNS = 4;
const LARGE = Buffer.alloc(5_000_000, 'a large file ');
const MESSAGE = 'Refused before the files';

const { service, encode: encodeItems, posts } = useUploads();

/** Without keys, nothing is sent again of which nobody knows what became. */
beforeEach(() => {
	const features = rewrite((user) => ({ ...(user as object), features: [] }));
	service.on({ path: /\/me$/, times: Infinity }, features);
});

const encode = async (
	content: Buffer,
	options: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
) => {
	const data = await storedFile(content, 'file.bin');
	return await encodeItems([{ json: {}, binary: { data } }], { options }, more);
};

const refusal = { status: 413, body: JSON.stringify({ message: MESSAGE }) };
const closing = { ...refusal, headers: { connection: 'close' } };
/** A response that breaks off. */
const broken = (text: string) => {
	const parts = async function* () {
		yield text;
		await wait(50);
		throw new Error('broken');
	};
	return { headers: { 'content-length': '1000' }, body: Readable.from(parts()) };
};
const afterBytes =
	(bytes: number, reply: Awaited<ReturnType<Handler>>): Handler =>
	async ({ read }) => {
		await read(bytes);
		return reply;
	};

describe('a service that refuses a large upload early', () => {
	it.each<[string, Handler]>([
		['by its headers, and closes the connection', async () => closing],
		['by its manifest, and closes the connection', afterBytes(100, closing)],
		['when it has read a part of the file', afterBytes(1_000_000, refusal)],
	])(
		'%s, is understood each time',
		async (_when, handler) => {
			service.on({ method: 'POST', times: RUNS }, handler);

			for (let run = 0; run < RUNS; run += 1) {
				const { error } = await encode(LARGE);

				expect(error?.message).toMatch(/larger than the service accepts/);
				expect(error?.description).toContain(MESSAGE);
				expect(error?.description).not.toMatch(/might have been created/i);
			}
			expect(posts()).toHaveLength(RUNS);
		},
		30_000,
	);

	it('is understood by its status when the connection breaks within the response', async () => {
		const type = { 'content-type': 'text/plain' };
		const { headers, body } = broken('Too');
		const reply = { status: 413, headers: { ...headers, ...type }, body };
		service.on({ method: 'POST' }, afterBytes(1_000_000, reply));

		const { error } = await encode(LARGE);

		expect(error?.message).toMatch(/files are larger than the service accepts/);
		expect(error?.description).not.toMatch(/might have been created/i);
	});
});

it('an upload without a response has an unknown outcome', async () => {
	service.on({ method: 'POST' }, afterBytes(1_000_000, 'cut'));

	const { error } = await encode(LARGE, { maxRetries: 2 });

	expect(error?.message).toMatch(/closed the connection during the upload/);
	expect(error?.description).toMatch(/might be larger than the service accepts/);
	expect(error?.description).toMatch(/container might have been created/);
	expect(posts()).toHaveLength(1);
});

it('an upload whose response of success breaks off has an unknown outcome', async () => {
	service.on({ method: 'POST' }, async ({ read }) => {
		await read();
		return { status: 200, ...broken('{"container":') };
	});

	const { error } = await encode(LARGE, { maxRetries: 2 });

	expect(error?.description).toMatch(/might have been created: look for "Invoice"/);
	expect(posts()).toHaveLength(1);
});

/** What a server does with a connection before it is secure. */
const drops: Array<[string, (socket: Socket) => void]> = [
	['closed at once', (socket) => socket.destroy()],
	['reset during the handshake', (socket) => socket.once('data', () => socket.resetAndDestroy())],
	['never secure', () => undefined],
];

it.each(drops)('an upload on a connection that is %s is sent again', async (_how, drop) => {
	let connections = 0;
	const server = createServer((socket) => {
		connections += 1;
		socket.on('error', () => undefined);
		drop(socket);
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const credentials = { ...service.credentials, baseUrl: `https://127.0.0.1:${port}/api/v1` };

	const options = { maxRetries: 1, responseTimeout: 1, userId: 'user-1' };
	const { error } = await encode(Buffer.from('small'), options, { credentials });
	server.close();

	expect(connections).toBe(2);
	expect(error?.description).toMatch(/Tried 2 times\./);
	expect(`${error?.message} ${error?.description}`).not.toMatch(/might have|larger/);
});
