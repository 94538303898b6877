import { isExpression } from '../../../../nodes/shared/parameters/expressions';
import {
	parseBoolean,
	parseChoice,
	parseInteger,
	parseText,
} from '../../../../nodes/shared/parameters/scalars';

describe('parseInteger', () => {
	it.each([
		[0, 0],
		[7, 7],
		['7', 7],
		[' 7 ', 7],
		['7.0', 7],
		['12.00', 12],
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

	it('accepts a lower bound below zero', () => {
		expect(parseInteger('-3', 'Limit', -3)).toBe(-3);
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
		[' TRUE ', true],
		['False', false],
	])('accepts %j', (value, flag) => {
		expect(parseBoolean(value, 'Downloadable')).toBe(flag);
	});

	it.each([[undefined], [null], [0], [1], ['yes'], ['']])('rejects %j', (value) => {
		expect(() => parseBoolean(value, 'Downloadable')).toThrow('"Downloadable"');
	});
});

describe('parseText', () => {
	it.each([
		[true, 'true'],
		[5n, '5'],
		[1.5, '1.5'],
		['', ''],
	])('accepts %p', (value, text) => {
		expect(parseText(value, 'Name')).toBe(text);
	});

	it('takes nothing for a date only because it has the name of its function', () => {
		expect(() => parseText({ toMillis: 5 }, 'Name')).toThrow('"Name" is not text');
	});
});

it.each(['id', ' ID ', 'by id'])('%j is a choice', (value) => {
	const choices = [
		{ name: 'From List', value: 'list' },
		{ name: 'By ID', value: 'id' },
	];
	expect(parseChoice(value, 'Mode', choices)).toBe('id');
});

it('a value is shortened in an error', () => {
	expect(() => parseBoolean(10n ** 60n, 'Switch')).toThrow(
		expect.objectContaining({
			description: expect.stringContaining(`The value is 1${'0'.repeat(49)}.`),
		}),
	);
});

it.each([
	['={{ 1 }}', true],
	['a=', false],
	['', false],
	[5, false],
	[undefined, false],
])('%j is an expression: %s', (value, isOne) => {
	expect(isExpression(value)).toBe(isOne);
});
