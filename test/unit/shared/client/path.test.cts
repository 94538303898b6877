import { buildPath, encodePathSegment, parseId } from '../../../../nodes/shared/client/path';

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

	it.each([
		...['', ' \t\n ', undefined, null, { id: 1 }, ['c-1'], true].map((value) => [
			value,
			'is empty',
		]),
		['.', `can't be "."`],
		[' .. ', `can't be ".."`],
		...['a/b', '../me', 'a\\b'].map((value) => [value, 'contains a slash or a backslash']),
		...['a\nb', 'a\0b', 'a\x7Fb', 'a\u0085b', 'a\uD83D'].map((value) => [
			value,
			"contains a character that can't be sent",
		]),
		['a'.repeat(2001), 'is longer than 2000 characters'],
	])('%j is rejected with the name of the field', (value, message) => {
		expect(() => encodePathSegment(value, 'Container')).toThrow(`"Container" ${String(message)}`);
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
