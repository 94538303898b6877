import { buildPath, parseId, parseUserId } from '../../../../nodes/shared/parameters/requests';

const encode = (value: unknown) => buildPath([parseId(value, 'Container')]).slice(1);
const EXPRESSION = { userId: '={{ $json.user }}' };

it.each([
	['c-1', 'c-1'],
	[42, '42'],
	['  c-1 ', 'c-1'],
	['a?b=c#d;e', 'a%3Fb%3Dc%23d%3Be'],
	['%2e%2E', '%252e%252E'],
	['...', '...'],
	['grüße 📦', 'gr%C3%BC%C3%9Fe%20%F0%9F%93%A6'],
])('%j is encoded once in a path: %s', (value, encoded) => {
	expect(encode(value)).toBe(encoded);
});

it.each<[string, ...unknown[]]>([
	['is empty', '', ' \t\n ', undefined, null],
	[
		'is not an ID or an email address',
		...['.', ' .. ', 'a/b', '../me', 'a\\b', 'a\nb', 'a\0b', 'a\x7Fb', 'a\u0085b', 'a\uD83D'],
		...['a'.repeat(2001), 1.5, 2 ** 53, true, {}],
	],
])('an ID that %s is an error that names the field', (message, ...values) => {
	for (const value of values) expect(() => encode(value)).toThrow(`"Container" ${message}`);
});

it.each<[object, unknown, string | undefined]>([
	[{ userId: ' u-1 ' }, { userId: ' u-1 ' }, 'u-1'],
	[{ userId: 'u-1' }, EXPRESSION, 'u-1'],
	[{ userId: ' ' }, { userId: ' ' }, undefined],
	[{ userId: '' }, undefined, undefined],
	[{}, {}, undefined],
])('the user to act for is, with %j from %j: %j', (options, raw, user) => {
	expect(parseUserId(options as never, raw)).toBe(user);
});

it.each(['', ' ', null, undefined])('no user is an error where an expression returns %j', (id) => {
	expect(() => parseUserId({ userId: id } as never, EXPRESSION)).toThrow('"User ID" is empty');
});
