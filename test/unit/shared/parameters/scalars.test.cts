import { parseBoolean, parseInteger } from '../../../../nodes/shared/parameters/scalars';

describe('parseInteger', () => {
	it.each([
		[0, 0],
		[7, 7],
		['7', 7],
		[' 7 ', 7],
		['7.0', 7],
		[Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
	])('accepts %j', (value, number) => {
		expect(parseInteger(value, 'Maximum Opens', 0)).toBe(number);
	});

	it.each([
		[-1],
		[1.5],
		['1.5'],
		['-1'],
		[''],
		['many'],
		['1e3'],
		['0x10'],
		[Number.NaN],
		[Number.POSITIVE_INFINITY],
		[2 ** 53],
		[null],
		[undefined],
		[true],
		[{}],
		[[5]],
	])('rejects %p with the name of the field', (value) => {
		expect(() => parseInteger(value, 'Maximum Opens', 0)).toThrow(
			'"Maximum Opens" must be a whole number, 0 or more',
		);
	});

	it('names both bounds in the message when it has two', () => {
		expect(() => parseInteger(101, 'Max Retries', 0, 100)).toThrow(
			'"Max Retries" must be a whole number, from 0 to 100',
		);
	});
});

describe('parseBoolean', () => {
	it.each([
		[true, true],
		['true', true],
		[false, false],
		['false', false],
	])('accepts %j', (value, flag) => {
		expect(parseBoolean(value, 'Downloadable')).toBe(flag);
	});

	it.each([[undefined], [null], [0], [1], ['yes'], ['']])('rejects %j', (value) => {
		expect(() => parseBoolean(value, 'Downloadable')).toThrow('"Downloadable"');
	});
});
