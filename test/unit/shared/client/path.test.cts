import fc from 'fast-check';
import { UserError } from 'n8n-workflow';
import { buildPath, parseId, parseUserId } from '../../../../nodes/shared/client/path';
import { always, anyText } from '../../support/seeded.cts';

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

it('any text is rejected for these reasons, or stays one segment beside others', async () => {
	const tryToEncode = (text: string) => {
		try {
			return encode(text);
		} catch (error) {
			expect(error).toBeInstanceOf(UserError);
			return undefined;
		}
	};
	await always(
		fc.property(anyText, anyText, (text, other) => {
			const trimmed = text.trim();
			const cannotBeSent = /[/\\\p{Cc}\p{Cs}]|^\.?\.?$|^.{2001}/su.test(trimmed);
			const segment = tryToEncode(text);
			expect(segment === undefined).toBe(cannotBeSent);
			if (segment === undefined) return;

			expect(decodeURIComponent(segment)).toBe(trimmed);
			const url = `https://share.example.com/containers/${segment}/drm`;
			expect(new URL(url)).toMatchObject({ href: url, search: '', hash: '' });
			expect(new URL(url).pathname.split('/')).toEqual(['', 'containers', segment, 'drm']);

			const second = tryToEncode(other);
			if (second === undefined) return;
			const path = buildPath(['users', text, 'contacts', other]);
			expect(path).toBe(`/users/${segment}/contacts/${second}`);
		}),
		500,
	);
});

it.each(['', '..', 'a/b'])('a path with an ID of the service that is %j is not built', (id) => {
	expect(() => buildPath(['containers', id])).toThrow('The service returned an ID that can');
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
