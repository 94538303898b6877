import { parseDate } from '../../../../nodes/shared/parameters/dates';
import {
	assertAddress,
	parseAddresses,
	parseList,
	parseOptionalList,
} from '../../../../nodes/shared/parameters/lists';
import {
	parseBoolean,
	parseChoice,
	parseInteger,
	parseShortText,
	parseText,
} from '../../../../nodes/shared/parameters/scalars';

/** What users read when a field can't be used: each text as a whole. */
const table: Array<[string, () => unknown, string, string]> = [
	[
		'an entry that is not text',
		() => parseList(['a', 5], 'Recipients'),
		'"Recipients" contains an entry that is not text',
		'The value is 5. Enter text separated by commas in "Recipients", or use an expression that returns a list of strings.',
	],
	[
		'an optional list that is missing',
		() => parseOptionalList(null, 'Recipients'),
		'"Recipients" is empty',
		'The expression returned nothing. Enter text separated by commas in "Recipients", or clear the field.',
	],
	[
		'an address without @',
		() => parseAddresses('anna', 'Recipients'),
		'"anna" in "Recipients" is not an email address',
		'It has no @. Enter an address such as anna@example.com in "Recipients".',
	],
	[
		'an address with a space',
		() => parseAddresses('Anna anna@example.com', 'Recipients'),
		'"Anna anna@example.com" in "Recipients" is not an email address',
		'Enter an address such as anna@example.com in "Recipients", without spaces, or Anna Berg <anna@example.com>.',
	],
	[
		'one address',
		() => assertAddress('anna', 'Email', 'Enter one.'),
		'"anna" in "Email" is not an email address',
		'Enter one.',
	],
	[
		'a long address',
		() => assertAddress('a'.repeat(321), 'Email'),
		'An address in "Email" is longer than 320 characters',
		'It has 321 characters. Enter a shorter value in "Email". If it comes from an expression, check that it returns the right field.',
	],
	[
		'a long entry',
		() => parseList('a'.repeat(1001), 'Countries Allowed'),
		'An entry in "Countries Allowed" is longer than 1000 characters',
		'It has 1001 characters. Enter a shorter value in "Countries Allowed". If it comes from an expression, check that it returns the right field.',
	],
	[
		'a long ID',
		() => parseShortText('a'.repeat(2001), 'Container', 'id'),
		'"Container" is longer than 2000 characters',
		'It has 2001 characters. Enter a shorter value in "Container". If it comes from an expression, check that it returns the right field.',
	],
	[
		'a missing text',
		() => parseText(undefined, 'Name'),
		'"Name" is empty',
		'The expression returned nothing. Enter text in "Name". If it comes from an expression, check that the field exists in the input item.',
	],
	[
		'null as a text',
		() => parseText(null, 'Name'),
		'"Name" is empty',
		'The expression returned nothing. Enter text in "Name". If it comes from an expression, check that the field exists in the input item.',
	],
	[
		'NaN as a text',
		() => parseText(Number.NaN, 'Name'),
		'"Name" is not text',
		'The value is NaN. Enter text in "Name". If it comes from an expression, check that the field exists in the input item.',
	],
	[
		'a list as a text',
		() => parseText([1], 'Name'),
		'"Name" is not text',
		'The expression returned a list. Enter text in "Name". If it comes from an expression, check that the field exists in the input item.',
	],
	[
		'an empty list as a text',
		() => parseText([], 'Name'),
		'"Name" is not text',
		'The expression returned an empty list. Enter text in "Name". If it comes from an expression, check that the field exists in the input item.',
	],
	[
		'an object as a text',
		() => parseText({}, 'Name'),
		'"Name" is not text',
		'The expression returned an object. Enter text in "Name". If it comes from an expression, check that the field exists in the input item.',
	],
	[
		'an invalid date as a text',
		() => parseText(new Date(Number.NaN), 'Name'),
		'"Name" is not text',
		'The expression returned an object. Enter text in "Name". If it comes from an expression, check that the field exists in the input item.',
	],
	[
		'a fraction',
		() => parseInteger(1.5, 'Limit', 1),
		'"Limit" must be a whole number, 1 or more',
		'The value is 1.5. Enter a whole number, 1 or more, in "Limit".',
	],
	[
		'a number below its bounds',
		() => parseInteger(' 0 ', 'Max Retries', 1, 9),
		'"Max Retries" must be a whole number, from 1 to 9',
		'The value is "0". Enter a whole number, from 1 to 9, in "Max Retries".',
	],
	[
		'an empty number',
		() => parseInteger(' ', 'Limit', 1),
		'"Limit" must be a whole number, 1 or more',
		'The field is empty. Enter a whole number, 1 or more, in "Limit".',
	],
	[
		'a date as a number',
		() => parseInteger(new Date(0), 'Limit', 1),
		'"Limit" must be a whole number, 1 or more',
		'The expression returned a date. Enter a whole number, 1 or more, in "Limit".',
	],
	[
		'a long text as a number',
		() => parseInteger('x'.repeat(60), 'Limit', 1),
		'"Limit" must be a whole number, 1 or more',
		'The value is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx". Enter a whole number, 1 or more, in "Limit".',
	],
	[
		'a text as a switch',
		() => parseBoolean('yes', 'Downloadable'),
		'"Downloadable" must be true or false',
		'The value is "yes". Turn "Downloadable" on or off, or use an expression that returns true or false.',
	],
	[
		'an unknown choice',
		() =>
			parseChoice('c', 'Mode', [
				{ name: 'Alpha', value: 'a' },
				{ name: 'Beta', value: 'b' },
			]),
		'"Mode" has an unknown value',
		'The value is "c". Choose from the list in "Mode", or use an expression that returns one of: a (Alpha), b (Beta).',
	],
	[
		'a number as a choice',
		() => parseChoice(1, 'Mode', [{ name: 'Alpha', value: 'a' }]),
		'"Mode" has an unknown value',
		'The value is 1. Choose from the list in "Mode", or use an expression that returns one of: a (Alpha).',
	],
	[
		'a text as a date',
		() => parseDate(' soon ', 'Available Until', 'UTC'),
		'"Available Until" is not a date',
		'The value is "soon". Pick a day in "Available Until", or use an expression that returns a date, such as 2026-12-31 or {{ $now.plus({ days: 30 }) }}.',
	],
];

it.each(table)('the error for %s', (_what, parse, message, description) => {
	expect(parse).toThrow(expect.objectContaining({ message, description }));
});
