import { Readable } from 'node:stream';
import { MultipartForm } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/multipartForm';

const names = { manifest: 'manifest.json', file: 'file' };

/** A form with one stored file, which n8n's storage returns as these chunks. */
const createForm = (size: number, open: () => Iterable<Buffer>) => {
	const helpers = {
		getBinaryMetadata: async () => await Promise.resolve({ fileSize: size }),
		getBinaryStream: async () => await Promise.resolve(Readable.from(open())),
	};
	const context = { helpers } as unknown as ConstructorParameters<typeof MultipartForm>[0];
	const file = { name: 'a.bin', type: 'a/b', content: { stored: 'id' } };
	return new MultipartForm(context, {}, [file], names, true);
};

/** What the HTTP client reads the file from. */
const readFile = (form: MultipartForm) => Readable.from([...form][1][1].stream());

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
		expect(form.files).toEqual([expect.objectContaining({ name: 'a.bin', size: 6 })]);
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
});
