import fc from 'fast-check';
import { UserError } from 'n8n-workflow';
import { buildPath, parseId } from '../../../../nodes/shared/client/path';
import { always, anyText } from '../../support/seeded.cts';

const encodePathSegment = (value: unknown, label: string) =>
	buildPath([parseId(value, label)]).slice(1);

describe('a path segment', () => {
	it.each([
		['c-1', 'c-1'],
		[42, '42'],
		['  c-1 ', 'c-1'],
		['a?b=c#d;e', 'a%3Fb%3Dc%23d%3Be'],
		['a+b@example.com', 'a%2Bb%40example.com'],
		['%2e%2E', '%252e%252E'],
		['...', '...'],
		['grüße 📦', 'gr%C3%BC%C3%9Fe%20%F0%9F%93%A6'],
	])('%j is encoded once: %s', (value, encoded) => {
		expect(encodePathSegment(value, 'Container')).toBe(encoded);
	});

	it.each<[string, ...unknown[]]>([
		['is empty', '', ' \t\n ', undefined, null],
		[`can't be "."`, '.'],
		[`can't be ".."`, ' .. '],
		['contains a slash or a backslash', 'a/b', '../me', 'a\\b'],
		["contains a character that can't be sent", 'a\nb', 'a\0b', 'a\x7Fb', 'a\u0085b', 'a\uD83D'],
		['is longer than 2000 characters', 'a'.repeat(2001)],
	])('is an error that names the field, if it %s', (message, ...values) => {
		for (const value of values) {
			expect(() => encodePathSegment(value, 'Container')).toThrow(`"Container" ${message}`);
		}
	});

	it('of any text is rejected for these reasons, or stays one segment beside others', async () => {
		const encode = (text: string) => {
			try {
				return encodePathSegment(text, 'Container');
			} catch (error) {
				expect(error).toBeInstanceOf(UserError);
				return undefined;
			}
		};
		await always(
			fc.property(anyText, anyText, (text, other) => {
				const trimmed = text.trim();
				const cannotBeSent = /[/\\\p{Cc}\p{Cs}]|^\.?\.?$|^.{2001}/su.test(trimmed);
				const segment = encode(text);
				expect(segment === undefined).toBe(cannotBeSent);
				if (segment === undefined) return;

				expect(decodeURIComponent(segment)).toBe(trimmed);
				const url = new URL(`https://share.example.com/containers/${segment}/drm`);
				expect(url.href).toBe(`https://share.example.com/containers/${segment}/drm`);
				expect(url.pathname.split('/')).toEqual(['', 'containers', segment, 'drm']);
				expect(url.search + url.hash).toBe('');

				const second = encode(other);
				if (second === undefined) return;
				const path = buildPath(['users', text, 'contacts', other]);
				expect(path).toBe(`/users/${segment}/contacts/${second}`);
			}),
			500,
		);
	});
});

describe('an ID', () => {
	it.each<[unknown, string]>([
		[' c-1 ', 'c-1'],
		[42, '42'],
	])('can be %j', (value, id) => {
		expect(parseId(value, 'Container')).toBe(id);
	});

	it.each<[unknown, string, string | RegExp]>([
		[undefined, 'is empty', 'Enter a value in "Container"'],
		[null, 'is empty', 'Enter a value in "Container"'],
		[' ', 'is empty', 'check that the field exists in the input item'],
		['a/b', 'contains a slash or a backslash', 'Enter only the ID or the email address in "Con'],
		[1.5, 'is not text', 'returns text. Numbers of more than 15 digits lose digits.'],
		[2 ** 53, 'is not text', 'Numbers of more than 15 digits lose digits.'],
		[true, 'is not text', /^The value is "true"\. Enter the value as text.* returns text\.$/],
		[{}, 'is not text', 'The expression returned an object. Enter'],
	])('is not %j', (value, message, description) => {
		const parse = () => parseId(value, 'Container');
		expect(parse).toThrow(`"Container" ${message}`);
		expect(parse).toThrow(
			expect.objectContaining({ description: expect.stringMatching(description) }),
		);
	});
});

it('a path keeps each value in its own segment, or is not built', () => {
	expect(buildPath(['users', 'u?1', 'contacts', '{userId}@example.com'])).toBe(
		'/users/u%3F1/contacts/%7BuserId%7D%40example.com',
	);
	for (const segment of ['', '..', 'a/b']) {
		expect(() => buildPath(['containers', segment])).toThrow('The service returned an ID that can');
	}
});
