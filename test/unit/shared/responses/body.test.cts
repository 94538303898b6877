import { Readable } from 'node:stream';
import { readBody } from '../../../../nodes/shared/responses/body';
import { toBody } from '../../support/client.cts';

describe('the bytes of a body', () => {
	const streamOf = (...chunks: Array<string | Uint8Array>) =>
		Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
	const read = async (stream: unknown, maxBytes = 1_000_000) => await readBody(stream, maxBytes);

	it.each([1, 1001, 2500])('are read from a stream of %i chunks', async (count) => {
		const numbers = Array.from({ length: count }, (_, index) => index);
		const chunks = numbers.map((number) => `${number},`);
		expect((await read(streamOf('[', ...chunks, '-1]'))).value).toEqual([...numbers, -1]);
		expect((await read(streamOf(...chunks, 'x'))).value).toBe(`${chunks.join('')}x`);
	});

	it('are read up to their limit', async () => {
		const stream = streamOf('abc', 'def', 'ghi');
		expect(await read(streamOf('abc', 'def'), 6)).toEqual({ value: 'abcdef' });
		expect(await read(stream, 5)).toEqual({ problem: 'more than 0.000005 MB' });
		expect(stream.destroyed).toBe(true);
	});

	it('can divide a character between chunks', async () => {
		const bytes = Buffer.from('["容"]');
		const stream = streamOf(bytes.subarray(0, 3), bytes.subarray(3));
		expect((await read(stream, 10)).value).toEqual(['容']);
	});
});

it.each<[string, unknown]>([
	['{"id":1}', { id: 1 }],
	[' [1, 2] ', [1, 2]],
	['"done"', 'done'],
	['-4.5', -4.5],
	['null', null],
	['\uFEFF{"id":1}', { id: 1 }],
	...['OK', '1 < 2', 'Unknown id {x}', '12 apples'].map((text): [string, string] => [text, text]),
])('a body has a value, from JSON or text: %j', async (text, value) => {
	expect(await toBody(text)).toEqual({ value });
});

it.each(['', '  ', '\r\n', '\uFEFF'])('a body of %j is empty', async (text) => {
	expect(await toBody(text)).toEqual({});
});

it.each([
	['<html><head><title> Sign in\n | Corp </title></head></html>', ' "Sign in | Corp"'],
	['<!doctype html><body><h1 class="x">Access denied</h1></body>', ' "Access denied"'],
	['\n<!DOCTYPE html><title></title><h2>Blocked</h2>', ' "Blocked"'],
	['<!doctype HTML><p>Nothing</p>', ''],
	[`<html>${' '.repeat(20_000)}<title>Too far</title></html>`, ''],
])(
	'a body that begins with a tag is an HTML page, by its title or first heading: %j',
	async (...row) => {
		const [text, title] = row;
		expect(await toBody(text)).toEqual({ problem: `an HTML page${title}`, isHtml: true });
	},
);

it.each([
	['{"id": 1', 'invalid JSON of 8 characters'],
	...['{"id": 1,,}', '{"id": x}', '{id: 1}', '[1] 2', '[1,]', '[1}'].map((text) => [
		...[text, `invalid JSON of ${text.length} characters`],
	]),
	['['.repeat(101) + ']'.repeat(101), 'JSON of more than 100 levels'],
	['['.repeat(100_000) + ']'.repeat(100_000), 'JSON of more than 100 levels'],
	['{"a":'.repeat(200_000), 'invalid JSON of 1000000 characters'],
])('invalid JSON can not be used, and is not quoted: %#', async (text, problem) => {
	expect(await toBody(text)).toEqual({ problem });
});

it('JSON can have 100 levels', async () => {
	expect((await toBody('['.repeat(100) + ']'.repeat(100))).problem).toBeUndefined();
});

it('JSON loses keys that would reach a prototype, at any depth, and nothing else', async () => {
	const text = '{"a":{"__proto__":{"admin":true},"b":1},"l":[{"__proto__":1}],"constructor":"x"}';
	const body = await toBody(text);
	expect(body).toEqual({ value: { a: { b: 1 }, l: [{}], constructor: 'x' } });
	expect(JSON.stringify(body)).not.toContain('__proto__');
	expect(({} as { admin?: boolean }).admin).toBeUndefined();
});
