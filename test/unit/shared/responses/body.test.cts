import { Readable } from 'node:stream';
import fc from 'fast-check';
import { getJsonErrorOffset } from '../../../../nodes/shared/responses/parseJson';
import { readBody } from '../../../../nodes/shared/responses/body';
import { findServiceMessage } from '../../../../nodes/shared/responses/serviceMessage';
import { toBody } from '../../support/body.cts';
import { always, anyText } from '../../support/seeded.cts';

describe('the bytes of a body', () => {
	const streamOf = (...chunks: Array<string | Uint8Array>) =>
		Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
	const read = async (stream: unknown, maxBytes = 1_000_000) => {
		const body = await readBody(stream, maxBytes, async () => {});
		return 'text' in body ? body.text : (body.value ?? body);
	};

	it.each([1, 1001, 2500])('are read from a stream of %i chunks', async (count) => {
		const numbers = Array.from({ length: count }, (_, index) => index);
		const chunks = numbers.map((number) => `${number},`);
		expect(await read(streamOf('[', ...chunks, '-1]'))).toEqual([...numbers, -1]);
		expect(await read(streamOf(...chunks, 'x'))).toBe(`${chunks.join('')}x`);
	});

	it('are read up to their limit', async () => {
		const stream = streamOf('abc', 'def', 'ghi');
		expect(await read(streamOf('abc', 'def'), 6)).toBe('abcdef');
		expect(await read(stream, 5)).toEqual({ kind: 'tooLarge', received: 'more than 0.000005 MB' });
		expect(stream.destroyed).toBe(true);
	});

	it('can divide a character between chunks', async () => {
		const bytes = Buffer.from('["容"]');
		const stream = streamOf(bytes.subarray(0, 3), bytes.subarray(3));
		expect(await read(stream, 10)).toEqual(['容']);
	});
});

describe('a body', () => {
	it.each([
		['{"id":1}', { id: 1 }],
		[' [1, 2] ', [1, 2]],
		['"done"', 'done'],
		['-4.5', -4.5],
		['true', true],
		['null', null],
		['\uFEFF{"id":1}', { id: 1 }],
	])('is parsed as JSON: %j', async (text, value) => {
		expect(await toBody(text)).toEqual({ kind: 'json', value });
	});

	it.each(['', '  ', '\r\n', '\uFEFF'])('of %j is empty', async (text) => {
		expect(await toBody(text)).toEqual({ kind: 'empty' });
	});

	it.each([...['<!DOCTYPE html><title>Portal</title>', '<!doctype HTML>', '\n<html></html>']])(
		'that begins with a tag is an HTML page: %j',
		async (text) => {
			expect((await toBody(text)).kind).toBe('html');
		},
	);

	it.each([
		...['OK', '1 < 2', '1 < 2 > 1', 'Unknown id {x}', 'The contact was deleted', '12 apples'],
	])('of other text is text: %j', async (text) => {
		expect(await toBody(text)).toEqual({ kind: 'text', text });
	});

	it.each([
		['<html><head><title> Sign in\n | Corp </title></head></html>', 'Sign in | Corp'],
		['<!doctype html><body><h1 class="x">Access denied</h1></body>', 'Access denied'],
		['<!doctype html><title></title><h2>Blocked</h2>', 'Blocked'],
		['<!doctype html><p>Nothing</p>', undefined],
		[`<html>${' '.repeat(20_000)}<title>Too far</title></html>`, undefined],
	])('of HTML has the title or the first heading: %j', async (text, title) => {
		expect(await toBody(text)).toMatchObject({ kind: 'html', title });
	});

	it.each<[string, string | RegExp]>([
		['{"id": 1', 'it ends too early, after 8 characters'],
		['[{"id": 1},', 'it ends too early, after 11 characters'],
		['{"id": 1,,}', /can't be parsed/],
		...['{"id": x}', '{id: 1}', '[1] 2', '[1,]', '[1}'].map((text): [string, string] => [
			text,
			"it can't be parsed",
		]),
		['['.repeat(101) + ']'.repeat(101), 'it is nested more than 100 levels deep'],
		['['.repeat(100_000) + ']'.repeat(100_000), /./],
		['{"a":'.repeat(200_000), /./],
	])('of invalid JSON has the reason, and quotes nothing: %#', async (text, reason) => {
		const expected = typeof reason === 'string' ? reason : expect.stringMatching(reason);
		expect(await toBody(text)).toEqual({ kind: 'invalidJson', reason: expected });
	});

	it('can have 100 levels', async () => {
		expect((await toBody('['.repeat(100) + ']'.repeat(100))).kind).toBe('json');
	});

	it('loses keys that would reach a prototype, at any depth, and nothing else', async () => {
		const text = '{"a":{"__proto__":{"admin":true},"b":1},"l":[{"__proto__":1}],"constructor":"x"}';
		const body = await toBody(text);
		expect(body).toEqual({ kind: 'json', value: { a: { b: 1 }, l: [{}], constructor: 'x' } });
		expect(JSON.stringify(body)).not.toContain('__proto__');
		expect(({} as { admin?: boolean }).admin).toBeUndefined();
	});
});

it.each<[string, number | undefined]>([
	['{ "a": 5, }', 10],
	['{\n  a: 5\n}', 4],
	['{} {}', 3],
	...['', ' ', '{"a":', '[1,', '"\\', '{"a": "x'].map((cut): [string, number] => [cut, cut.length]),
	// Where the engine only quotes the text, nothing is known.
	['nil', undefined],
])('%j stops being JSON at %j', (text, offset) => {
	expect.assertions(1);
	try {
		JSON.parse(text);
	} catch (error) {
		expect(getJsonErrorOffset(error, text)).toBe(offset);
	}
});

it('another error has no position in JSON', () => {
	expect(getJsonErrorOffset(new Error('no'), '{')).toBeUndefined();
});

describe('any body', () => {
	it('parses, has a message or none, and never throws', async () => {
		const cutJson = fc.tuple(fc.json(), fc.nat()).map(([text, end]) => text.slice(0, end % 50));
		await always(
			fc.asyncProperty(fc.oneof(anyText, fc.json(), cutJson), async (text) => {
				const body = await toBody(text);
				expect(['json', 'text', 'html', 'invalidJson', 'empty']).toContain(body.kind);
				const words = findServiceMessage(body);
				expect(words === undefined || (words.length > 0 && words.length <= 501)).toBe(true);
			}),
			1_000,
		);
	});
});
