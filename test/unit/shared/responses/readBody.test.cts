import { Readable } from 'node:stream';
import { decodeBody, readBody } from '../../../../nodes/shared/responses/readBody';

const streamOf = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
const read = async (body: unknown, maxBytes = 1_000_000) => {
	const bytes = await readBody(body, maxBytes);
	return bytes === undefined ? undefined : Buffer.from(bytes).toString();
};

describe('a body', () => {
	it.each([1, 999, 1000, 1001, 2500])('is read from a stream of %i chunks', async (count) => {
		const chunks = Array.from({ length: count }, (_, index) => `${index},`);

		expect(await read(streamOf(...chunks))).toBe(chunks.join(''));
	});

	it('is read up to its limit', async () => {
		const stream = streamOf('abc', 'def', 'ghi');

		expect(await read(streamOf('abc', 'def'), 6)).toBe('abcdef');
		expect(await read(stream, 5)).toBeUndefined();
		expect(stream.destroyed).toBe(true);
	});

	it.each([
		['text', 'ü', 'ü'],
		['an object', { a: 1 }, '{"a":1}'],
		['a list', [1], '[1]'],
		['null', null, 'null'],
		['nothing', undefined, ''],
	])('can be %s that n8n has read', async (_what, body, text) => {
		expect(await read(body)).toBe(text);
	});
});

describe('the text of a body', () => {
	const latin = Buffer.from([0xfc]);

	it.each([
		'text/plain; charset=iso-8859-1',
		'text/plain; CHARSET = "ISO-8859-1"',
		'text/plain;charset=windows-1252; format=flowed',
	])('has the charset of %s', (contentType) => {
		expect(decodeBody(latin, contentType)).toBe('ü');
	});

	it.each([undefined, 'text/plain', 'text/plain; charset=utf-8', 'text/plain; charset=klingon'])(
		'is UTF-8 with %j',
		(contentType) => {
			expect(decodeBody(Buffer.from('ü 容'), contentType)).toBe('ü 容');
		},
	);
});
