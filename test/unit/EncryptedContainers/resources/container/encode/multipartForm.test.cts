import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { SourceFile } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/sourceFiles';
import { MultipartForm } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/multipartForm';

const names = { manifest: 'manifest.json', file: 'file' };

type Context = ConstructorParameters<typeof MultipartForm>[0];
type Source = Iterable<Buffer> | AsyncIterable<Buffer>;

const stored = { name: 'a.bin', type: 'a/b', content: { stored: 'id' } };

/** A form with stored files, each of which n8n's storage returns as these chunks. */
const createForm = (size: number, open: () => Source, files: SourceFile[] = [stored]) => {
	const helpers = {
		getBinaryMetadata: jest.fn(async () => await Promise.resolve({ fileSize: size })),
		getBinaryStream: async () => await Promise.resolve(Readable.from(open())),
	};
	const context = { helpers } as unknown as Context;
	return Object.assign(new MultipartForm(context, {}, files, names, true), { helpers });
};

/** What the HTTP client reads a file from. */
const readFile = (form: MultipartForm, index = 0) =>
	Readable.from([...form][index + 1][1].stream());

const twoChunks = () => [Buffer.from('one'), Buffer.from('two')];

it('the parts of a form are fixed', () => {
	expect(() => createForm(0, () => []).append()).toThrow('The parts of this form are fixed');
});

describe('a file of a form', () => {
	it('is not blamed for an error of the connection', async () => {
		const form = createForm(6, twoChunks);
		await form.prepare();
		const stream = readFile(form);

		await expect(
			(async () => {
				for await (const chunk of stream) {
					expect(String(chunk)).toBe('one');
					stream.destroy(new Error('The connection broke'));
				}
			})(),
		).rejects.toThrow('The connection broke');

		expect(form.failure).toBeUndefined();
	});

	it('is sent again from its start, whatever becomes of the request before', async () => {
		const form = createForm(6, twoChunks);
		await form.prepare();
		const first = [...form.entries()][1][1].stream()[Symbol.asyncIterator]();
		await first.next();
		form.close();
		await form.prepare();
		const second = readFile(form);

		await expect(first.next()).rejects.toThrow('The request ended');
		expect(Buffer.concat(await second.toArray()).toString()).toBe('onetwo');

		expect(form.failure).toBeUndefined();
		const sha256 = createHash('sha256').update('onetwo').digest('hex');
		expect(form.files).toEqual([{ name: 'a.bin', size: 6, sha256 }]);
	});

	it('is not opened any more when the request has ended', async () => {
		let count = 0;
		const form = createForm(2_000_000, () => {
			count += 1;
			return [];
		});
		await form.prepare();
		const reading = readFile(form).toArray();
		form.close();

		await expect(reading).rejects.toThrow('The request ended');
		expect([count, form.failure]).toEqual([0, undefined]);
		expect(form.files).toEqual([]);
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
		const form = createForm(6, open);
		await form.prepare();

		await expect(readFile(form).toArray()).rejects.toThrow(/"a\.bin" is no longer available/);

		expect(form.failure?.message).toMatch(/"a\.bin" is no longer available/);
	});

	it('is not blamed when the request ends before all of it was read', async () => {
		let end: () => void = () => undefined;
		const isEnded = new Promise<void>((resolve) => (end = resolve));
		const form = createForm(6, () => []);
		Object.assign(form.helpers, { getBinaryStream: async () => await Promise.resolve(slowly()) });
		async function* slowly() {
			yield Buffer.from('one');
			await isEnded;
		}
		await form.prepare();
		const stream = [...form][1][1].stream()[Symbol.asyncIterator]();
		await stream.next();
		const last = stream.next();
		form.close();
		end();
		await last.catch(() => undefined);

		expect(form.failure).toBeUndefined();
	});

	it('is named before anything is sent when nothing knows its size', async () => {
		const form = createForm(6, twoChunks);
		form.helpers.getBinaryMetadata.mockRejectedValue(new Error('No such file'));

		await expect(form.prepare()).rejects.toThrow(/"a\.bin" is no longer available/);
	});

	it('is asked for its size once, also when it is sent again', async () => {
		const form = createForm(6, twoChunks);

		await form.prepare();
		await form.prepare();

		expect(form.helpers.getBinaryMetadata).toHaveBeenCalledTimes(1);
		expect(form.size).toBe(6 + '{}'.length);
	});

	it('arrives whole from Base64 of more than one slice', async () => {
		const content = randomBytes(1_200_000);
		const file = { ...stored, content: { base64: content.toString('base64') } };
		const form = createForm(0, () => [], [
			{ ...file, name: 'small', content: { text: 'x' } },
			file,
		]);
		await form.prepare();

		expect(Buffer.concat(await readFile(form, 1).toArray()).equals(content)).toBe(true);
	});

	it('needs nothing to be closed before a request', () => {
		expect(() => createForm(6, twoChunks).close()).not.toThrow();
	});

	it('of text needs nothing to be closed', async () => {
		const form = createForm(0, () => [], [{ ...stored, content: { text: 'text' } }]);
		await form.prepare();
		await [...form][1][1].stream()[Symbol.asyncIterator]().next();

		expect(() => form.close()).not.toThrow();
	});

	it('never sends more than its size, also when it grows without end', async () => {
		const form = createForm(7, function* () {
			for (;;) yield Buffer.from('one');
		} as () => Iterable<Buffer>);
		await form.prepare();
		let sent = 0;

		await expect(
			(async () => {
				for await (const chunk of readFile(form)) sent += (chunk as Buffer).length;
			})(),
		).rejects.toThrow(/"a\.bin" doesn't have the size that n8n stored/);

		expect(sent).toBe(6);
		expect(form.failure?.message).toMatch(/upload was stopped/);
	});

	it('says when all of it was handed over', async () => {
		const form = createForm(6, twoChunks);
		const states: string[] = [];
		form.onSent = () => states.push('sent');
		await form.prepare();
		for await (const chunk of readFile(form)) states.push(String(chunk));

		expect(states).toEqual(['one', 'two', 'sent']);
	});

	it('is not the end of the body where another one follows', async () => {
		const form = createForm(6, twoChunks, [stored, stored]);
		let isSent = false;
		form.onSent = () => (isSent = true);
		await form.prepare();

		await readFile(form, 0).toArray();
		expect(isSent).toBe(false);
		await readFile(form, 1).toArray();
		expect(isSent).toBe(true);
	});
});

describe('the wait for an early refusal', () => {
	beforeEach(() =>
		jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }),
	);
	afterEach(() => jest.useRealTimers());

	it.each([
		['comes before the first file of a large upload', 1_000_000, 0, true],
		['does not come before its other files', 1_000_000, 1, false],
		['does not come in a small upload', 999_998, 0, false],
	])('%s', async (_when, size, index, waits) => {
		const form = createForm(
			size,
			() => [Buffer.alloc(size)],
			index === 0 ? [stored] : [stored, stored],
		);
		await form.prepare();
		const reading = readFile(form, index).toArray();
		let isRead = false;
		void reading.then(() => (isRead = true));
		for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);

		expect(isRead).toBe(!waits);
		await jest.advanceTimersByTimeAsync(300);
		expect((await reading).length).toBe(1);
	});
});
