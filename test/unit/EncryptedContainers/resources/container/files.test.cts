import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { IBinaryData } from 'n8n-workflow';
import {
	cleanFileName,
	pickFiles,
	parseTextFile,
} from '../../../../../nodes/EncryptedContainers/resources/container/encode/files';
import {
	MultipartForm,
	type SourceFile,
} from '../../../../../nodes/EncryptedContainers/resources/container/encode/multipartForm';
import { Parameters } from '../../../../../nodes/shared/parameters/fields';
import { parseForm } from '../../../../support/form.cts';
import { afterAnHour } from '../../../support/client.cts';

const inMemory: IBinaryData = { data: 'aGk=', mimeType: 'text/plain', fileName: 'hi.txt' };
const reference: IBinaryData = {
	...{ id: 'filesystem-v2:1', data: 'filesystem-v2', mimeType: 'a/b' },
};
const createTextFile = (textContent: string, textFileName: string) => {
	const parameters: Record<string, string> = { textContent, textFileName };
	return parseTextFile(new Parameters(parameters, (name) => parameters[name]));
};
const named = (data: object) => pickFiles({ a: { ...inMemory, ...data } as never }, ['a'])[0];

describe('files from named fields', () => {
	it('keep the order of the names', () => {
		expect(pickFiles({ a: inMemory, b: reference }, ['b', 'a'])).toEqual([
			{ name: 'b', type: 'a/b', content: { stored: 'filesystem-v2:1' } },
			{ name: 'hi.txt', type: 'text/plain', content: { base64: 'aGk=' } },
		]);
	});

	it.each([
		[{ fileName: undefined, fileExtension: 'pdf' }, 'a.pdf'],
		[{ fileName: '  ' }, 'a'],
		[{ fileName: ' Grüße "1".pdf', fileExtension: 'pdf' }, 'Grüße "1".pdf'],
		[{ fileName: 2026, mimeType: 5 }, '2026'],
	])('with %j are named %j', (details, name) => {
		expect(named(details).name).toBe(name);
	});

	it.each([
		...['', 'eHg', 'eHg=', 'eHh4eA==', 'e-_+/w=='].map((data) => [data, data]),
		[' aG\r\nk=\n', 'aGk='],
	])('can be Base64: %j', (data, base64) => {
		expect(named({ data }).content).toEqual({ base64 });
	});

	it('can be files alone, of an item that has none', () => {
		expect(pickFiles({}, [inMemory]).map(({ name }) => name)).toEqual(['hi.txt']);
	});

	it.each<[string, () => unknown]>([
		['"Input Binary Field" is empty', () => pickFiles({ a: inMemory }, [])],
		...[['data'], [], [inMemory, 'data']].map((entries): [string, () => unknown] => [
			'The input has no file',
			() => pickFiles({}, entries),
		]),
		...[undefined, 'data:a/b;base64,eA==', 'eHh4e', 'e===', 'e=H4'].map(
			(data): [string, () => unknown] => [
				'The binary field "a" holds no usable file content',
				() => named({ data }),
			],
		),
		...['constructor', '__proto__'].map((name): [string, () => unknown] => [
			`The input item has no binary field "${name}"`,
			() => pickFiles({ a: inMemory }, [name]),
		]),
		['"File Name" is empty', () => createTextFile('x', ' ')],
		['"File Name" is empty', () => createTextFile('x', '../.')],
	])('are an error that says %s', (message, pickFiles) => {
		expect(pickFiles).toThrow(message);
	});
});

it('an error about a field that is missing names all there are, and how to take several', () => {
	const descriptionFor = (fields: string[]) => {
		const input = Object.fromEntries(fields.map((field) => [field, inMemory]));
		try {
			return pickFiles(input, ['data']);
		} catch (error) {
			return (error as Error & { description: string }).description;
		}
	};
	expect(descriptionFor(['file0', 'file1'])).toMatch(/"file0", "file1".*All Binary Fields\.$/);
	expect(descriptionFor(['file0'])).not.toContain('All Binary Fields');
});

it('a file from text has a trimmed name', () => {
	expect(createTextFile('a;b', ' report.CSV ')).toEqual({
		...{ name: 'report.CSV', type: 'text/csv', content: { base64: 'YTti' } },
	});
});

it('a file from text needs one, and the error says where to enter it', () => {
	let error: unknown;
	try {
		createTextFile('', 'a.txt');
	} catch (thrown) {
		error = thrown;
	}
	expect(error).toMatchObject({
		message: '"Text" is empty',
		description: expect.stringMatching(/^Enter .* "Text"\./) as string,
	});
});

it.each([
	['text/plain', 'report.txt noending unknown.xyz trailing. trap.constructor'],
	['text/csv', '.csv'],
	['text/html', 'page.html a.htm'],
	['application/json', 'data.json'],
	['application/xml', 'archive.tar.xml'],
])('the media type %s is that of the text files %s', (type, names) => {
	for (const name of names.split(' ')) expect(createTextFile('x', name).type).toBe(type);
});

it('the media type of an input file is that of its field, as far as a header can have it', () => {
	const mimeType = 'text/plain; name="naïve\r\n\u0000"';
	expect(named({ mimeType }).type).toBe('text/plain; name="nave"');
	expect(named({ mimeType: null }).type).toBe('');
});

it.each([
	...['a..', '..a', '👨‍👩‍👧 ❤️‍🔥.png', 'می‌خواهم क्‍ष.pdf'].map((name) => [name, name]),
	...['../', '//', ' \u0000 '].map((name) => [name, '']),
	['invoice\u202efdp.exe', 'invoicefdp.exe'],
	['C:\\fakepath\\a\u2066b\u2069.txt', 'ab.txt'],
])('a file name is cleaned: %j', (name, cleaned) => {
	expect(cleanFileName(name)).toBe(cleaned);
});

const stored = { name: 'a.bin', type: 'a/b', content: { stored: 'id' } };
const twoChunks = () => [Buffer.from('one'), Buffer.from('two')];

/** A form with stored files of 6 bytes, each of which n8n's storage returns as these chunks. */
const prepareForm = async (
	open: () => Iterable<Buffer>,
	files: SourceFile[] = [stored],
	manifest = {},
) => {
	const helpers = {
		getBinaryMetadata: async () => await Promise.resolve({ fileSize: 6 }),
		getBinaryStream: async () => await Promise.resolve(Readable.from(open())),
	};
	const options = { partNames: 'current', includeFileDigests: true } as const;
	const form = new MultipartForm({ helpers } as never, { manifest, files, ...options });
	await form.prepare(() => undefined);
	return form;
};

/** What the HTTP client reads a file from. */
const readFile = (form: MultipartForm, index = 0) =>
	Readable.from([...form][index + 1][1].stream());

describe('a file of a form', () => {
	afterEach(() => jest.useRealTimers());

	it('is sent again from its start, whatever becomes of the request before', async () => {
		const form = await prepareForm(twoChunks);
		const first = [...form][1][1].stream() as AsyncGenerator<Uint8Array>;
		await first.next();
		form.close();
		await form.prepare(() => undefined);
		const second = readFile(form);

		await expect(first.next()).rejects.toThrow(/aborted|Premature close/);
		expect(Buffer.concat(await second.toArray()).toString()).toBe('onetwo');
		const sha256 = createHash('sha256').update('onetwo').digest('hex');
		expect(form.digests).toEqual([{ name: 'a.bin', size: 6, sha256 }]);
		expect(form.size).toBe(6 + '{}'.length);
	});

	it.each<[string, () => Iterable<Buffer>]>([
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
		const form = await prepareForm(open);

		await expect(readFile(form).toArray()).rejects.toThrow(/"a\.bin" is no longer available/);
		expect(form.failure?.message).toMatch(/"a\.bin" is no longer available/);
	});

	it('says when all of it was handed over, and the one that follows', async () => {
		const form = await prepareForm(twoChunks, [stored, stored]);
		const states: string[] = [];
		await form.prepare(() => states.push('sent'));
		for (const index of [0, 1]) {
			for await (const chunk of readFile(form, index)) states.push(String(chunk));
		}

		expect(states).toEqual(['one', 'two', 'one', 'two', 'sent']);
	});

	it('is read in pieces where n8n holds it in memory, so that it is not there twice', async () => {
		const base64 = Buffer.alloc(2_000_000, 'x').toString('base64');
		const form = await prepareForm(twoChunks, [{ ...stored, content: { base64 } }]);
		const pieces = (await readFile(form).toArray()) as Buffer[];

		expect(Buffer.concat(pieces).toString()).toBe('x'.repeat(2_000_000));
		expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(1_000_000);
	});

	it('begins after a moment for an early refusal, where the upload is large or was cut before', async () => {
		jest.useFakeTimers();
		const ofSize = async (bytes: number) => {
			const base64 = Buffer.alloc(bytes).toString('base64');
			return await prepareForm(twoChunks, [{ ...stored, content: { base64 } }]);
		};
		const waitOf = async (form: MultipartForm) => {
			const beginning = Date.now();
			const chunks = [...form][1][1].stream() as AsyncGenerator<Uint8Array>;
			return await afterAnHour(chunks.next().then(() => Date.now() - beginning));
		};
		const cut = await ofSize(6);
		cut.close();
		await cut.prepare(() => undefined);

		expect(await waitOf(await ofSize(6))).toBe(0);
		expect(await waitOf(await ofSize(1_000_001))).toBe(300);
		expect(await waitOf(cut)).toBe(300);
	});
});

interface HttpClient {
	post(url: string, body: unknown, options: object): Promise<{ data: unknown }>;
}

/** The HTTP client that n8n sends with. */
const axios = createRequire(require.resolve('n8n-core'))('axios') as HttpClient;

it('files of any name, type and content arrive unchanged, with a correct content length', async () => {
	let received = { headers: {} as http.IncomingHttpHeaders, body: Buffer.alloc(0) };
	const server = http.createServer(async (request, response) => {
		received = { headers: request.headers, body: Buffer.concat(await request.toArray()) };
		response.end('{}');
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const names = [
		'a"; filename="b',
		'a\r\nContent-Type: x/y\r\n\r\n',
		'\\',
		'Ü 容 🔒',
		'\ud83d',
		"'",
	];
	const contents = ['', '\r\n--', '--axios', '\r\n\r\n', '\u0000\uffff', '容'.repeat(5000)];
	const sent = names.map((name, index) => ({
		...{ name, type: ['text/plain; charset=utf-8', 'a/b'][index % 2] },
		content: { base64: Buffer.from(contents[index]).toString('base64') },
	}));
	const manifest = { container: { name: '"\r\n', note: null } };

	const form = await prepareForm(twoChunks, sent, manifest);
	const { port } = server.address() as AddressInfo;
	await axios.post(`http://127.0.0.1:${port}/`, form, { maxRedirects: 0 });
	server.close();

	const { headers, body } = received;
	expect(headers['content-length']).toBe(String(body.length));
	expect(headers['transfer-encoding']).toBeUndefined();
	const [first, ...others] = parseForm(headers, body);
	expect(first).toMatchObject({ name: 'manifest.json', type: 'application/json' });
	expect(JSON.parse(String(first.content))).toEqual(manifest);
	// In UTF-8, half a surrogate pair becomes the replacement character.
	const expected = sent.map(({ name, type, content: { base64 } }) => ({
		...{ name: 'file', filename: name.toWellFormed(), type },
		content: Buffer.from(base64, 'base64'),
	}));
	expect(others).toEqual(expected);
});
