import { getJsonErrorOffset } from '../../../../nodes/shared/responses/jsonError';

function findOffset(text: string): number | undefined {
	try {
		JSON.parse(text);
	} catch (error) {
		return getJsonErrorOffset(error, text);
	}
	throw new Error(`${text} is JSON`);
}

describe('the position where text stops being JSON', () => {
	it.each([
		['{ "a": 5, }', 10],
		['{\n  a: 5\n}', 4],
		['{} {}', 3],
		['{"a" 1}', 5],
		['{"a": 1 "b": 2}', 8],
		['[1}', 2],
		['{"a": 01}', 7],
		["{'a': 1}", 1],
		['{"a": "tab\there"}', 10],
	])('is found in %j at offset %i', (text, offset) => {
		expect(findOffset(text)).toBe(offset);
	});

	it.each(['', ' ', '{"a":', '[1,', '"\\', '{"a": "x'])(
		'is the end of %j, which is cut off',
		(text) => {
			expect(findOffset(text)).toBe(text.length);
		},
	);

	it.each(['{"a": x}', '[1, 2,, 3]', 'nil', '[Unexpected end]', '[SyntaxError: Unterminated]'])(
		'is unknown in %j, where the engine only quotes the text',
		(text) => {
			expect(findOffset(text)).toBeUndefined();
		},
	);

	it('is unknown for another error', () => {
		expect(getJsonErrorOffset(new Error('no'), '{')).toBeUndefined();
	});
});
