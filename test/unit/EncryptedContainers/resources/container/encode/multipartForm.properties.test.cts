import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import fc from 'fast-check';
import { boundaryOf, parseDisposition } from '../../../../../../sandbox/upload.cts';
import type { SourceFile } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/sourceFiles';
import { sanitizeMediaType } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/mediaTypes';
import { MultipartForm } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/multipartForm';
import { always, anyText } from '../../../../support/seeded.cts';

interface HttpClient {
	post(url: string, body: unknown, options: object): Promise<{ data: unknown }>;
}

/** The HTTP client that n8n sends with. */
const axios = createRequire(require.resolve('n8n-core'))('axios') as HttpClient;

interface Part {
	name?: string;
	filename?: string;
	type: string;
	content: string;
}

async function partOf(stream: Readable): Promise<Part> {
	let header: Record<string, string[] | undefined> = {};
	stream.on('header', (received: typeof header) => (header = received));
	const content = Buffer.concat(await stream.toArray()).toString('base64');
	const text = (name: string) => Buffer.from(header[name]?.[0] ?? '', 'latin1').toString('utf8');
	const { name, filename } = parseDisposition(text('content-disposition'));
	return { name, filename, type: text('content-type'), content };
}

async function parse(headers: http.IncomingHttpHeaders, body: Buffer): Promise<Part[]> {
	const dicer = new Dicer({ boundary: boundaryOf(headers['content-type'] ?? '') });
	const parts: Array<Promise<Part>> = [];
	dicer.on('part', (stream) => parts.push(partOf(stream as Readable)));
	const finished = once(dicer, 'finish');
	dicer.end(body);
	await finished;
	return await Promise.all(parts);
}

let received: { headers: http.IncomingHttpHeaders; body: Buffer };
let url = '';

const server = http.createServer(async (request, response) => {
	received = { headers: request.headers, body: Buffer.concat(await request.toArray()) };
	response.end('{}');
});

beforeAll(async () => {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(() => server.close());

const content = fc.oneof(
	anyText.map((text): SourceFile['content'] => ({ text })),
	fc
		.uint8Array({ maxLength: 3000 })
		.map((bytes): SourceFile['content'] => ({ base64: Buffer.from(bytes).toString('base64') })),
	fc
		.constantFrom('\r\n--', '\r\n\r\n', '--axios', '\r\nContent-Type: x/y\r\n')
		.map((text): SourceFile['content'] => ({ text: text.repeat(50) })),
);
const file: fc.Arbitrary<SourceFile> = fc.record({
	name: anyText.filter((name) => name.trim() !== ''),
	type: fc
		.oneof(anyText, fc.constantFrom('application/pdf', 'text/plain; charset=utf-8'))
		.map(sanitizeMediaType),
	content,
});

const bytesOf = (source: SourceFile['content']) => {
	if ('text' in source) return Buffer.from(source.text);
	return Buffer.from('base64' in source ? source.base64 : '', 'base64');
};

/** Text as UTF-8 encodes it: half a surrogate pair becomes the replacement character. */
const carried = (text: string) => Buffer.from(text).toString('utf8');

it('any files in a multipart body arrive unchanged, with the manifest and a correct content length', async () => {
	const files = fc.array(file, { minLength: 1, maxLength: 4 });
	const names = { manifest: 'manifest.json', file: 'file' };
	const context = { helpers: {} } as ConstructorParameters<typeof MultipartForm>[0];
	await always(
		fc.asyncProperty(files, fc.dictionary(fc.string(), fc.jsonValue()), async (sent, manifest) => {
			const form = new MultipartForm(context, manifest, sent, names, true);
			await form.prepare();
			await axios.post(url, form, { maxRedirects: 0 });
			const { headers, body } = received;
			const [first, ...others] = await parse(headers, body);

			expect(headers['content-length']).toBe(String(body.length));
			expect(headers['transfer-encoding']).toBeUndefined();
			expect(first).toMatchObject({ name: 'manifest.json', type: 'application/json' });
			expect(JSON.parse(Buffer.from(first.content, 'base64').toString())).toEqual(
				JSON.parse(JSON.stringify(manifest)),
			);
			expect(others).toEqual(
				sent.map(({ name, type, content: source }) => ({
					...{ name: 'file', filename: carried(name), type },
					content: bytesOf(source).toString('base64'),
				})),
			);
			expect(form.files.map(({ name, size }) => [name, size])).toEqual(
				sent.map(({ name, content: source }) => [name, bytesOf(source).length]),
			);
		}),
		100,
	);
}, 30_000);
