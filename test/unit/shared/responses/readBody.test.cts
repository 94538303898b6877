import { Readable } from 'node:stream';

import { ByteQueue, PAGE_LIMITS, readBody } from '../../../../nodes/shared/responses/readBody';

const streamOf = (...chunks: Array<string | Uint8Array>) =>
	Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
const read = async (body: unknown, bytes = 1_000_000, contentType?: string) => {
	const received = await readBody(body, { ...PAGE_LIMITS, bytes }, contentType);
	return 'exceeded' in received ? received.exceeded : received.bytes.read(0);
};

describe('a body', () => {
	it.each([1, 999, 1000, 1001, 2500])('is read from a stream of %i chunks', async (count) => {
		const chunks = Array.from({ length: count }, (_, index) => `${index},`);

		expect(await read(streamOf(...chunks))).toBe(chunks.join(''));
	});

	it('is read up to its limit', async () => {
		const stream = streamOf('abc', 'def', 'ghi');

		expect(await read(streamOf('abc', 'def'), 6)).toBe('abcdef');
		expect(await read(stream, 5)).toEqual({ kind: 'tooLarge', maxBytes: 5 });
		expect(stream.destroyed).toBe(true);
	});

	it('of text is read up to the longest message', async () => {
		const half = 'x'.repeat(500_000);
		expect(await read(streamOf(half, half, 'y', 'z'), 9_000_000)).toBe(`${half}${half}y`);
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

	it.each([
		'text/plain; charset=iso-8859-1',
		'text/plain; CHARSET = "ISO-8859-1"',
		'text/plain;charset=windows-1252; format=flowed',
	])('has the charset of %s', async (contentType) => {
		expect(await read(streamOf(Buffer.from([0xfc])), 10, contentType)).toBe('ü');
	});

	it('can have a charset whose characters are parted between chunks', async () => {
		const bytes = Buffer.from('[1]', 'utf16le');
		const stream = streamOf(bytes.subarray(0, 3), bytes.subarray(3));
		expect(await read(stream, 10, 'application/json; charset=utf-16le')).toBe('[1]');
	});

	it.each([undefined, 'text/plain', 'text/plain; charset=utf-8', 'text/plain; charset=klingon'])(
		'is UTF-8 with %j',
		async (contentType) => {
			expect(await read(streamOf('ü 容'), 100, contentType)).toBe('ü 容');
		},
	);
});

it('bytes are read once, in order, from any place on', () => {
	const bytes = new ByteQueue();
	const text = 'ü'.repeat(1_200_000);
	for (const chunk of [text, text, 'ab']) bytes.add(Buffer.from(chunk));

	expect(bytes.length).toBe(4_800_002);
	expect(bytes.read(0, 4)).toBe('üü');
	expect(bytes.read(2_399_998, 2_400_002)).toBe('üü');
	expect(bytes.read(2_399_998, 2_400_002)).toBe('üü');
	expect(bytes.read(4_800_000)).toBe('ab');
	expect(bytes.read(4_800_002)).toBe('');
});
