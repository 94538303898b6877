import type { INodeExecutionData } from 'n8n-workflow';
import { inlineBinary } from '../../../support/engine.cts';
import { mockService } from '../../../support/nock.cts';
import { uploadsTo, encode, envelope, partsOf, path } from '../../support/encode.cts';

const service = mockService();
const { uploads } = uploadsTo(service);

describe('a text file', () => {
	it.each([
		['report.txt', 'text/plain'],
		['table.CSV', 'text/csv'],
		['page.html', 'text/html'],
		['data.json', 'application/json'],
		['readme.md', 'text/markdown'],
		['noending', 'text/plain'],
	])('named %s is sent as %s', async (textFileName, type) => {
		service.scope().post(path).reply(200, envelope);

		await encode({ textFileName });

		expect(partsOf(uploads()[0].body)[1].head).toBe(
			`Content-Disposition: form-data; name="file"; filename="${textFileName}"\r\nContent-Type: ${type}`,
		);
	});

	it.each([
		['letters beyond ASCII', 'Grüße 📦', 'Grüße 📦'],
		['a number', '={{ 5 }}', '5'],
		['an object', '={{ { a: [1] } }}', '{\n  "a": [\n    1\n  ]\n}'],
		['an expression', '={{ $json.id }}: {{ 1 + 1 }}', 'Invoice: 2'],
		['text that resembles a boundary', '--x\r\n\r\n--\r\n', '--x\r\n\r\n--\r\n'],
	])('is sent as UTF-8: %s', async (_what, textContent, content) => {
		service.scope().post(path).reply(200, envelope);

		const { error } = await encode({ textContent });

		expect(error).toBeUndefined();
		expect(String(uploads()[0].body)).toContain(`\r\n\r\n${content}\r\n--`);
		expect(Number(uploads()[0].headers['content-length'])).toBe(
			Buffer.byteLength(String(uploads()[0].body)),
		);
	});

	it('needs no binary file, and ignores those of the item', async () => {
		service.scope().post(path).reply(200, envelope);
		const binary = { data: inlineBinary(Buffer.from('x'), { mimeType: 'text/plain' }) };

		await encode({}, {}, { items: [{ json: { id: 'Invoice' }, binary }] });

		expect(partsOf(uploads()[0].body)).toHaveLength(2);
	});
});

describe('files of the item', () => {
	const file = (fileName: string) =>
		inlineBinary(Buffer.from(fileName), { fileName, mimeType: 'text/plain' });
	const item = (binary: INodeExecutionData['binary']): INodeExecutionData => ({
		json: { id: 'Invoice' },
		binary,
	});

	it.each([
		['one', 'named', 'a', ['a.txt']],
		['several, in the order of the names', 'named', 'b, a', ['b.txt', 'a.txt']],
		['a list from an expression', 'named', '={{ ["c", "a"] }}', ['c.txt', 'a.txt']],
		['one field that is named twice', 'named', 'a;a', ['a.txt']],
		['all fields, in the order of the item', 'all', '', ['a.txt', 'b.txt', 'c.txt']],
	])('are sent: %s', async (_what, fileSource, binaryPropertyName, names) => {
		service.scope().post(path).reply(200, envelope);

		await encode(
			{ fileSource, binaryPropertyName },
			{},
			{ items: [item({ a: file('a.txt'), b: file('b.txt'), c: file('c.txt') })] },
		);

		expect(
			partsOf(uploads()[0].body)
				.slice(1)
				.map(({ content }) => content),
		).toEqual(names);
	});

	it.each<[string, string, string, INodeExecutionData['binary'], RegExp, RegExp]>([
		[
			'a missing field',
			'named',
			'data',
			{ invoice: file('a'), terms: file('b') },
			/no binary field "data"/,
			/"invoice", "terms"/,
		],
		[
			'one missing field of two',
			'named',
			'invoice, data',
			{ invoice: file('a') },
			/no binary field "data"/,
			/"Input Binary Field".*"invoice"/,
		],
		[
			'an item without fields',
			'named',
			'data',
			undefined,
			/The input has no file/,
			/Add a node that provides one, or set "File Source" to Text/,
		],
		[
			'no field name',
			'named',
			' , ',
			{ data: file('a') },
			/"Input Binary Field" is empty/,
			/"data"/,
		],
		['an item without files', 'all', '', undefined, /The input has no file/, /"File Source"/],
	])(
		'are rejected before anything is sent: %s',
		async (_what, fileSource, names, binary, message, description) => {
			const { error } = await encode(
				{ fileSource, binaryPropertyName: names },
				{},
				{ items: [item({ data: file('x'), invoice: file('y') }), item(binary)] },
			);

			expect(error?.message).toMatch(/\[item \d\]$/);
			if (names !== 'invoice, data' && names !== ' , ')
				expect(error?.message).toMatch(/\[item 1\]$/);
			expect(error?.message).toMatch(message);
			expect(error?.description).toMatch(description);
			expect(service.requests).toEqual([]);
		},
	);
});
