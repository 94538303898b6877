import { toBody } from '../../support/body.cts';

describe('a body', () => {
	it.each([
		['an object', '{"id":1}', { id: 1 }],
		['a list', ' [1, 2] ', [1, 2]],
		['text in quotes', '"done"', 'done'],
		['a number', '-4.5', -4.5],
		['true', 'true', true],
		['null', 'null', null],
		['an object behind a byte order mark', '\uFEFF{"id":1}', { id: 1 }],
	])('is parsed as JSON with every content type: %s', async (_what, text, value) => {
		for (const type of [undefined, 'text/html', 'text/plain', 'application/json']) {
			expect(await toBody(text, type)).toEqual({ kind: 'json', value });
		}
	});

	it.each(['', '  ', '\r\n', '\uFEFF'])('of %j is empty', async (text) => {
		expect(await toBody(text, 'application/json')).toEqual({ kind: 'empty' });
	});

	it.each([
		'<!DOCTYPE html><title>Portal</title>',
		'<!doctype HTML>',
		'\n<html></html>',
		'<head></head>',
		'<body>x</body>',
		'<?xml version="1.0"?><error/>',
	])('that begins like HTML is an HTML page, with every content type: %j', async (text) => {
		expect((await toBody(text, 'application/json')).kind).toBe('html');
	});

	it('of text with a tag and the content type of HTML is an HTML page', async () => {
		expect((await toBody('Welcome <b>back</b>', 'text/html; charset=utf-8')).kind).toBe('html');
		expect((await toBody('Welcome <br class="x">', 'application/xhtml+xml')).kind).toBe('html');
	});

	it.each(['OK', 'Welcome', '1 < 2', '1 < 2 > 1'])(
		'of text without a tag is text, also as HTML: %j',
		async (text) => {
			expect(await toBody(text, 'text/html; charset=utf-8')).toEqual({ kind: 'text', text });
		},
	);

	it.each([
		['<html><head><title> Sign in\n | Corp </title></head></html>', 'Sign in | Corp'],
		['<!doctype html><body><h1 class="x">Access denied</h1></body>', 'Access denied'],
		['<!doctype html><title></title><h2>Blocked</h2>', 'Blocked'],
		['<html><title lang="en">Sign in</title></html>', 'Sign in'],
		['<!doctype html><p>Nothing</p>', undefined],
		[`<html>${' '.repeat(20_000)}<title>Too far</title></html>`, undefined],
	])('of HTML has the title or the first heading: %j', async (text, title) => {
		expect(await toBody(text)).toMatchObject({ kind: 'html', title });
	});

	it.each([
		['{"id": 9007199254740993}', { id: '9007199254740993' }],
		['{"size":-12345678901234567890, "id":1}', { size: '-12345678901234567890', id: 1 }],
		['[9007199254740993, 9007199254740991]', ['9007199254740993', 9007199254740991]],
		[
			'{"a \\" 1234567890123456789": 0.1234567890123456789}',
			{ 'a " 1234567890123456789': 0.12345678901234568 },
		],
		['{"a": "\\" 9007199254740993 \\" x"}', { a: '" 9007199254740993 " x' }],
		['{"9007199254740993": "x 9007199254740993"}', { '9007199254740993': 'x 9007199254740993' }],
	])('has whole numbers as text that JavaScript would round: %s', async (text, value) => {
		expect(await toBody(text)).toEqual({ kind: 'json', value });
	});

	it.each([
		'{"id": 1e30}',
		'{"container": {"uuid": 123456789012345678.5}}',
		'[{"container_id": -1e21}]',
		'{"size": 1e400}',
	])(
		'with an identifier that is not exact, or without an end, is not accepted: %j',
		async (text) => {
			expect(await toBody(text)).toMatchObject({
				kind: 'invalidJson',
				reason: expect.stringMatching(
					/^"(id|uuid|container_id|size)" is the number ([-+\de]+|Infinity), which is too large to be exact$/,
				),
			});
		},
	);

	it.each([
		['{"size": 20000000000000000000e2}', { size: 2e21 }],
		['[-20000000000000000000.5E-2]', [-2e17]],
		['[0.20000000000000000e+20]', [2e19]],
	])('keeps numbers that are written with an exponent or a fraction: %s', async (text, value) => {
		expect(await toBody(text)).toEqual({ kind: 'json', value });
	});

	it('with a large number elsewhere, or a safe identifier, is JSON', async () => {
		expect((await toBody('{"size": 1e30, "id": 9007199254740991}')).kind).toBe('json');
		for (const name of ['paid', 'identity', 'uuids', 'order_identity']) {
			expect((await toBody(`{"${name}": 1e30}`)).kind).toBe('json');
		}
	});

	it('with the name of a field that is too long is not accepted', async () => {
		expect((await toBody(`{"${'x'.repeat(1000)}": 1}`)).kind).toBe('json');
		expect(await toBody(`{"${'x'.repeat(1001)}": 1}`)).toEqual({
			kind: 'invalidJson',
			reason: 'a field has a name of more than 1000 characters',
		});
	});

	it.each([
		'See <html>',
		'Unknown id {x}',
		'The contact was deleted',
		'12 apples',
		'"quoted" words',
		'truely',
		'-',
	])('of other text is text: %j', async (text) => {
		expect(await toBody(text)).toEqual({ kind: 'text', text });
	});

	it.each([
		['{"id": 1', 'it ends too early, after 8 characters'],
		['[{"id": 1},', 'it ends too early, after 11 characters'],
		['{"id": 1,,}', /can't be parsed/],
		['{"id": x}', "it can't be parsed (9 characters)"],
		['{id: 1}', "it can't be parsed at character 2 of 7"],
	])(
		'of invalid JSON has the position of the error, and quotes nothing: %j',
		async (text, reason) => {
			expect(await toBody(text)).toEqual({
				kind: 'invalidJson',
				reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
			});
		},
	);

	it('can be nested 100 levels deep, but no deeper', async () => {
		const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
		expect((await toBody(nested(100))).kind).toBe('json');
		expect(await toBody(nested(101))).toEqual({
			kind: 'invalidJson',
			reason: 'it is nested more than 100 levels deep',
		});
		expect((await toBody(nested(100_000))).kind).toBe('invalidJson');
		expect((await toBody('{"a":'.repeat(200_000))).kind).toBe('invalidJson');
	});

	it('loses keys that would reach a prototype, at any depth, and nothing else', async () => {
		const text = '{"a":{"__proto__":{"admin":true},"b":1},"l":[{"__proto__":1}],"constructor":"x"}';
		const body = await toBody(text);
		expect(body).toEqual({ kind: 'json', value: { a: { b: 1 }, l: [{}], constructor: 'x' } });
		expect(JSON.stringify(body)).not.toContain('__proto__');
		expect(({} as { admin?: boolean }).admin).toBeUndefined();
	});
});
