import { buildPath, encodePathSegment, parseId } from '../../../../nodes/shared/client/path';

describe('a path segment', () => {
	it.each([
		['plain', 'c-1', 'c-1'],
		['a number', 42, '42'],
		['spaces around it', '  c-1 ', 'c-1'],
		['a question mark', 'a?b=c', 'a%3Fb%3Dc'],
		['a hash', 'a#b', 'a%23b'],
		['a semicolon', 'a;b', 'a%3Bb'],
		['a plus', 'a+b@example.com', 'a%2Bb%40example.com'],
		['a percent sign', '100%', '100%25'],
		['an encoded dot', '%2e', '%252e'],
		['two encoded dots', '%2e%2E', '%252e%252E'],
		['an encoded slash', 'a%2fb', 'a%252fb'],
		['three dots', '...', '...'],
		['letters beyond ASCII', 'grüße', 'gr%C3%BC%C3%9Fe'],
		['beyond the basic plane', '📦', '%F0%9F%93%A6'],
		['a space in it', 'a b', 'a%20b'],
	])('is encoded once: %s', (_what, value, encoded) => {
		expect(encodePathSegment(value, 'Container')).toBe(encoded);
	});

	it.each([
		['nothing', '', 'is empty'],
		['whitespace', ' \t\n ', 'is empty'],
		['undefined', undefined, 'is empty'],
		['null', null, 'is empty'],
		['an object', { id: 1 }, 'is empty'],
		['a list', ['c-1'], 'is empty'],
		['true', true, 'is empty'],
		['a dot', '.', `can't be "."`],
		['two dots', '..', `can't be ".."`],
		['two dots with spaces', ' .. ', `can't be ".."`],
		['a slash', 'a/b', 'contains a slash or a backslash'],
		['dots with a slash', '../me', 'contains a slash or a backslash'],
		['a backslash', 'a\\b', 'contains a slash or a backslash'],
		['a line end', 'a\nb', "contains a character that can't be sent"],
		['a null byte', 'a\0b', "contains a character that can't be sent"],
		['a delete character', 'a\x7Fb', "contains a character that can't be sent"],
		['a control character of Latin-1', 'a\u0085b', "contains a character that can't be sent"],
		['half a character', 'a\uD83D', "contains a character that can't be sent"],
		['more than 2000 characters', 'a'.repeat(2001), 'is longer than 2000 characters'],
	])('is rejected with the name of the field: %s', (_what, value, message) => {
		expect(() => encodePathSegment(value, 'Container')).toThrow(`"Container" ${message}`);
	});
});

describe('an ID', () => {
	it.each<[unknown, string]>([
		[' c-1 ', 'c-1'],
		[42, '42'],
		['2026-11-21', '2026-11-21'],
		['2026-11-21T', '2026-11-21T'],
		['id of 2026-11-21T10:00:00', 'id of 2026-11-21T10:00:00'],
		['20-11-21T10:00', '20-11-21T10:00'],
	])('can be %j', (value, id) => {
		expect(parseId(value, 'Container')).toBe(id);
	});

	const date = '2026-11-21T10:00:00.000Z';

	it.each<[unknown, string, string]>([
		[undefined, 'is empty', 'Enter a value in "Container"'],
		[null, 'is empty', 'Enter a value in "Container"'],
		[' ', 'is empty', 'check that the field exists in the input item'],
		['.', `can't be "."`, 'Enter the complete value in "Container"'],
		['a/b', 'contains a slash or a backslash', 'Enter only the ID or the email address in "Con'],
		[
			'a\nb',
			'contains a character',
			'Remove line breaks, tabs and other control characters from "C',
		],
		[date, 'is not an ID', `The value is "${date}". Enter the value as text in "Container"`],
		[` ${date}`, 'is not an ID', 'use an expression that returns text.'],
		[1.5, 'is not text', 'returns text. Numbers of more than 15 digits lose digits.'],
		[2 ** 53, 'is not text', 'Numbers of more than 15 digits lose digits.'],
		[true, 'is not text', 'The value is true. Enter the value as text'],
		[Object.create(null) as object, 'is not text', 'The expression returned an object. Enter'],
	])('is not %j', (value, message, description) => {
		const parse = () => parseId(value, 'Container');
		expect(parse).toThrow(`"Container" ${message}`);
		expect(parse).toThrow(
			expect.objectContaining({ description: expect.stringContaining(description) }),
		);
	});

	it('has no advice on digits where it is no number', () => {
		expect(() => parseId(true, 'Container')).toThrow(
			expect.objectContaining({ description: expect.stringMatching(/returns text\.$/) }),
		);
	});
});

describe('a path', () => {
	it('keeps each value in its own segment', () => {
		expect(buildPath(['users', 'u?1', 'contacts', '{userId}@example.com'])).toBe(
			'/users/u%3F1/contacts/%7BuserId%7D%40example.com',
		);
	});

	it.each(['', '..', 'a/b'])(
		'is not built with a segment that would not stay one: %j',
		(segment) => {
			expect(() => buildPath(['containers', segment])).toThrow('"ID"');
		},
	);
});
