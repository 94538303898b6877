import { Readable } from 'node:stream';
import {
	describeReceived,
	findServiceMessage,
	readBody,
} from '../../../../nodes/shared/responses/body';
import { rowsOf } from '../../../support/texts.cts';
import { toBody } from '../../support/client.cts';

const streamOf = (...chunks: Array<string | Uint8Array>) =>
	Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

it('a body is read up to its limit, from chunks that can divide a character', async () => {
	const bytes = Buffer.from('["容"]');
	const divided = streamOf(bytes.subarray(0, 3), bytes.subarray(3));
	expect(await readBody(divided, bytes.length)).toEqual({ value: ['容'] });
	const long = streamOf('abc', 'def', 'ghi');
	expect(await readBody(long, 5)).toEqual({ problem: 'more than 0.000005 MB' });
	expect(long.destroyed).toBe(true);
});

it.each<[string, unknown]>([
	['{"id":1}', { id: 1 }],
	[' [1, 2] ', [1, 2]],
	['"done"', 'done'],
	['null', null],
	['\uFEFF{"id":1}', { id: 1 }],
	...['OK', 'Unknown id {x}', '12 apples'].map((text): [string, string] => [text, text]),
])('a body has a value, from JSON or text: %j', async (text, value) => {
	expect(await toBody(text)).toEqual({ value });
});

it.each(['', '\r\n', '\uFEFF'])('a body of %j is empty', async (text) => {
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
	['[1] 2', 'invalid JSON of 5 characters'],
	['['.repeat(101) + ']'.repeat(101), 'JSON of more than 100 levels'],
	['['.repeat(100_000) + ']'.repeat(100_000), 'JSON of more than 100 levels'],
	['{"a":'.repeat(200_000), 'invalid JSON of 1000000 characters'],
])('invalid JSON can not be used, and is not quoted: %#', async (text, problem) => {
	expect(await toBody(text)).toEqual({ problem });
});

it('JSON loses keys that would reach a prototype, at any depth, and nothing else', async () => {
	const text = '{"a":{"__proto__":{"admin":true},"b":1},"l":[{"__proto__":1}],"constructor":"x"}';
	const body = await toBody(text);
	expect(body).toEqual({ value: { a: { b: 1 }, l: [{}], constructor: 'x' } });
	expect(JSON.stringify(body)).not.toContain('__proto__');
	expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

/** What the service returned, and its words. */
const messages = rowsOf<[body: unknown, words: string | null]>(`
	message and code: [{ message: No such container, code: not_found }, No such container (not_found)]
	a code in the message: [{ message: Error E17, code: E17 }, Error E17]
	a code alone: [{ code: E_LIMIT }, "code: E_LIMIT"]
	the contract: [{ message: Invalid values., code: invalid, fields: { opens: is negative, time.end: is over } }, "Invalid values: opens: is negative; time.end: is over (invalid)"]
	a message that says the field: [{ message: "Invalid value: opens is negative.", code: invalid, fields: { opens: is negative } }, "Invalid value: opens is negative (invalid)"]
	an error object: [{ error: { message: A } }, A]
	errors that are too deep: [{ error: { error: { error: { error: { message: A } } } } }, null]
	error and description: [{ error: x, error_description: A }, A]
	many errors by field: [{ errors: { a: [A], b: B, c: C, d: D, e: E, f: F } }, "a: A; b: B; c: C; d: D; e: E"]
	a long list: [[{ message: A }, B, C, D, E, F], A; B; C; D; E]
	a title and a detail: [{ type: about:blank, title: x, detail: A }, A]
	nothing before: [{ message: " ", msg: null, error: { message: " A " } }, A]
	a message that repeats errors: [{ message: "name: A", errors: { name: [A] } }, "name: A"]
	a record: [{ name: [A], count: 3 }, "name: A; count: 3"]
	an empty object: [{}, null]
	FastAPI: [{ detail: [{ loc: [body, recipients, 0], msg: field required, type: missing }] }, "body.recipients.0: field required"]
	JSON:API: [{ errors: [{ status: "422", detail: too low, source: { pointer: /data/opens } }] }, "/data/opens: too low"]
	RFC 9457: [{ title: Bad input, errors: [{ detail: too low, pointer: "#/opens" }] }, "Bad input: #/opens: too low"]
`);

it.each(messages)('the message of the service is found: %s', (_shape, [value, words]) => {
	expect(findServiceMessage(value)).toBe(words ?? undefined);
});

it.each<[unknown, string]>([
	[undefined, 'an empty response'],
	['Done', 'text'],
	[[], 'a list'],
	[null, 'the JSON value null'],
	[{}, 'an empty JSON object'],
	[{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, 'a JSON object with the fields a, b, c, d, e'],
])('what was received is described: %j is %s', (value, words) => {
	expect(describeReceived(value)).toBe(words);
});
