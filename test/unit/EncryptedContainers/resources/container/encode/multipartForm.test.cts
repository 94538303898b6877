import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import http from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import type { SourceFile } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/sourceFiles';
import { MultipartForm } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/multipartForm';
import { parseForm } from '../../../../../support/form.cts';
import { sanitizeMediaType } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/sourceFiles';
import { always, anyText } from '../../../../support/seeded.cts';

type Context = ConstructorParameters<typeof MultipartForm>[0];
type Source = Iterable<Buffer> | AsyncIterable<Buffer>;

const stored = { name: 'a.bin', type: 'a/b', content: { stored: 'id' } };
const options = { partNames: { manifest: 'manifest.json', file: 'file' }, hasDigests: true };
const twoChunks = () => [Buffer.from('one'), Buffer.from('two')];

/** A form with stored files, each of which n8n's storage returns as these chunks. */
const createForm = (size: number, open: () => Source, files: SourceFile[] = [stored]) => {
	const helpers = {
		getBinaryMetadata: jest.fn(async () => await Promise.resolve({ fileSize: size })),
		getBinaryStream: async () => await Promise.resolve(Readable.from(open())),
	};
	const form = new MultipartForm({ helpers } as unknown as Context, {}, files, options);
	return Object.assign(form, { helpers });
};
const prepareForm = async (...settings: Parameters<typeof createForm>) => {
	const form = createForm(...settings);
	await form.prepare(() => undefined);
	return form;
};

/** What the HTTP client reads a file from. */
const readFile = (form: MultipartForm, index = 0) =>
	Readable.from([...form][index + 1][1].stream());

describe('a file of a form', () => {
	it('is sent again from its start, whatever becomes of the request before', async () => {
		const form = await prepareForm(6, twoChunks);
		const first = [...form.entries()][1][1].stream()[Symbol.asyncIterator]();
		await first.next();
		form.close();
		await form.prepare(() => undefined);
		const second = readFile(form);

		await expect(first.next()).rejects.toThrow('The request ended');
		expect(Buffer.concat(await second.toArray()).toString()).toBe('onetwo');
		expect(form.failure).toBeUndefined();
		const sha256 = createHash('sha256').update('onetwo').digest('hex');
		expect(form.files).toEqual([{ name: 'a.bin', size: 6, sha256 }]);
		expect(form.size).toBe(6 + '{}'.length);
	});

	it.each<[string, () => Source]>([
		[
			'fails',
			function* () {
				yield Buffer.from('one');
				throw new Error('A defect of the disk');
			},
		],
		[
			'cannot be opened',
			() => {
				throw new Error('No such file');
			},
		],
	])('is named when reading it %s', async (_what, open) => {
		const form = await prepareForm(6, open);

		await expect(readFile(form).toArray()).rejects.toThrow(/"a\.bin" is no longer available/);
		expect(form.failure?.message).toMatch(/"a\.bin" is no longer available/);
	});

	it('says when all of it was handed over, and the one that follows', async () => {
		const form = await prepareForm(6, twoChunks, [stored, stored]);
		const states: string[] = [];
		await form.prepare(() => states.push('sent'));
		for (const index of [0, 1]) {
			for await (const chunk of readFile(form, index)) states.push(String(chunk));
		}

		expect(states).toEqual(['one', 'two', 'one', 'two', 'sent']);
	});
});

interface HttpClient {
	post(url: string, body: unknown, options: object): Promise<{ data: unknown }>;
}

/** The HTTP client that n8n sends with. */
const axios = createRequire(require.resolve('n8n-core'))('axios') as HttpClient;

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
	const context = { helpers: {} } as ConstructorParameters<typeof MultipartForm>[0];
	await always(
		fc.asyncProperty(files, fc.dictionary(fc.string(), fc.jsonValue()), async (sent, manifest) => {
			const form = new MultipartForm(context, manifest, sent, options);
			await form.prepare(() => undefined);
			await axios.post(url, form, { maxRedirects: 0 });
			const { headers, body } = received;
			const [first, ...others] = parseForm(headers, body);

			expect(headers['content-length']).toBe(String(body.length));
			expect(headers['transfer-encoding']).toBeUndefined();
			expect(first).toMatchObject({ name: 'manifest.json', type: 'application/json' });
			expect(JSON.parse(String(first.content))).toEqual(JSON.parse(JSON.stringify(manifest)));
			expect(others).toEqual(
				sent.map(({ name, type, content: source }) => ({
					...{ name: 'file', filename: carried(name), type },
					content: bytesOf(source),
				})),
			);
			expect(form.files.map(({ name, size }) => [name, size])).toEqual(
				sent.map(({ name, content: source }) => [name, bytesOf(source).length]),
			);
		}),
		100,
	);
}, 30_000);
