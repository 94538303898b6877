import { findJsonErrorOffset } from '../../../../nodes/shared/responses/jsonPlace';

describe('the position where text stops being JSON', () => {
	it.each([
		['{ "a": 5, }', 10],
		['{\n  a: 5\n}', 4],
		['{"a": x}', 6],
		['{} {}', 3],
		['[1, 2,, 3]', 6],
		['{"a" 1}', 5],
		['{"a": 1 "b": 2}', 8],
		['[1}', 2],
		['{"a": 01}', 7],
		["{'a': 1}", 1],
		['{"a": "tab\there"}', 6],
		['nil', 1],
	])('is in %j at offset %i or just before', (text, offset) => {
		const found = findJsonErrorOffset(text);
		expect(found).toBeLessThanOrEqual(offset);
		expect(found).toBeGreaterThanOrEqual(offset - 1);
	});

	it.each(['', ' ', '{', '[', '{"a"', '{"a":', '{"a": 5', '{"a": "x', '[1,', '[tru', '-', '"\\'])(
		'is the end of %j, which is incomplete',
		(text) => {
			expect(findJsonErrorOffset(text)).toBe(text.length);
		},
	);
});
