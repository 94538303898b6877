import { DateTime } from 'luxon';

import { assertAddress, parseAddresses } from '../../../../nodes/shared/parameters/addresses';
import { parseDate } from '../../../../nodes/shared/parameters/dates';
import {
	parseBoolean,
	parseChoice,
	parseInteger,
	parseList,
	parseShortText,
	parseText,
} from '../../../../nodes/shared/parameters/values';

const label = 'The Field';
const kindChoices = [
	{ name: 'Make One', value: 'create' },
	{ name: 'Fail', value: 'fail' },
];

/** The kinds of fields, and what parses each. */
const kinds = {
	text: (value: unknown) => parseText(value, label),
	boolean: (value: unknown) => parseBoolean(value, label),
	integer: (value: unknown) => parseInteger(value, label, 0),
	choice: (value: unknown) => parseChoice(value, label, kindChoices),
	list: (value: unknown) => parseList(value, label),
	addresses: (value: unknown) => parseAddresses(value, label),
	date: (value: unknown) => parseDate(value, label, 'Europe/Zurich'),
};

type Kind = keyof typeof kinds;

const moment = DateTime.fromISO('2026-12-31T20:00:00Z');
const asText = '2026-12-31T20:00:00.000Z';
const both = ['a@x.example', 'b@x.example'];
const refused = Symbol('refused');

/** What each kind makes of what an expression can return. What is not listed is refused. */
const table: Array<[string, unknown, Partial<Record<Kind, unknown>>]> = [
	['undefined', undefined, { addresses: [] }],
	['null', null, { addresses: [] }],
	['empty text', '', { text: '', list: [], addresses: [] }],
	['an empty list', [], { list: [], addresses: [] }],
	['NaN', Number.NaN, {}],
	['an object', { a: 1 }, {}],
	['what only looks like a date', { toMillis: 5 }, {}],
	['a list of objects', [{ a: 1 }], {}],
	['a list with a number', ['a', 5], { list: ['a', '5'] }],
	['a number', 7, { text: '7', integer: 7, list: ['7'] }],
	['a number below the bounds', -1, { text: '-1', list: ['-1'] }],
	['a number as text', ' 7 ', { text: ' 7 ', integer: 7, list: ['7'] }],
	['a fraction', 1.5, { text: '1.5', list: ['1.5'] }],
	['a fraction as text', '1.5', { text: '1.5', list: ['1.5'] }],
	['a number behind something', 'x7', { text: 'x7', list: ['x7'] }],
	['a number that is not exact', 2 ** 53, { text: '9007199254740992', list: ['9007199254740992'] }],
	['true', true, { text: 'true', boolean: true, list: ['true'] }],
	['"True"', 'True', { text: 'True', boolean: true, list: ['True'] }],
	['" FALSE "', ' FALSE ', { text: ' FALSE ', boolean: false, list: ['FALSE'] }],
	['a Date', moment.toJSDate(), { text: asText, list: [asText], date: '2026-12-31' }],
	['a DateTime', moment, { text: asText, list: [asText], date: '2026-12-31' }],
	['an invalid Date', new Date('never'), {}],
	['a day', '2026-12-31', { text: '2026-12-31', list: ['2026-12-31'], date: '2026-12-31' }],
	['a choice', 'fail', { text: 'fail', choice: 'fail', list: ['fail'] }],
	[
		'the name of a choice',
		' MAKE one',
		{ text: ' MAKE one', choice: 'create', list: ['MAKE one'] },
	],
	['separators', ' ,a;b\nc\r\nd\re,,a ', { text: ' ,a;b\nc\r\nd\re,,a ', list: [...'abcde'] }],
	['a list of text', ['a', 'b; c '], { list: ['a', 'b', 'c'] }],
	['a JSON array in text', ' ["a", "b"] ', { text: ' ["a", "b"] ', list: ['a', 'b'] }],
	['a JSON array before a separator', '["a"];', { text: '["a"];', list: ['a'] }],
	['a JSON array before text', '["a"]x', { text: '["a"]x', list: ['["a"]x'] }],
	['a JSON array in a list', ['["a"]'], { list: ['["a"]'] }],
	['a JSON array that is cut off', '["a"', { text: '["a"', list: ['["a"'] }],
	['an address', both[0], { text: both[0], list: [both[0]], addresses: [both[0]] }],
	['a list of addresses', both, { list: both, addresses: both }],
	['an object with an address', { email: both[0], name: 'A' }, { addresses: [both[0]] }],
	['objects with addresses', [{ email: both[0] }, both[1]], { addresses: both }],
	['an object with an address of null', [{ email: null }], { addresses: [] }],
	['an object with an address that is none', [{ email: 7 }], {}],
];

describe.each(Object.keys(kinds) as Kind[])('%s', (kind) => {
	it.each(table)('from %s', (_what, value, expected) => {
		const outcome = () => {
			try {
				return kinds[kind](value);
			} catch {
				return refused;
			}
		};
		expect(outcome()).toEqual(kind in expected ? expected[kind] : refused);
	});
});

const address = 'anna@x.example';

it.each([
	...[`"${address}"`, `'${address}'`, `" <${address}> "`, `${address};`],
	...[`MAILTO: ${address}`, `mailto:${address}?subject=Hi`, `["${address}"]`, ` ["${address}"] ; `],
	...[`"Berg, Anna" <${address}>`, `a@b.example <${address}>`, [{ email: `Anna <${address}>` }]],
	...[`\ufeff${address}`, `anna@x\u00ad.example`],
])('an address is found in %j', (value) => {
	expect(parseAddresses(value, 'To')).toEqual([address]);
});

it.each([
	'"B, A" <a@x.example>; Bob <b@x.example>',
	'Berg, Anna <a@x.example>, Berg, Bob, Dr. <b@x.example>',
	'a@x.example, Berg, Bob <b@x.example>',
	'Berg, Anna <a@x.example>\nb@x.example',
])('addresses are found behind names, also with a comma: %j', (text) => {
	expect(parseAddresses(text, 'To')).toEqual(both);
});

it.each(["o'neil/sales+tag@example.co.uk", '*@*', 'grüße@exämple.com', 'xmailto:a@x.example'])(
	'an address can be %s',
	(text) => {
		expect(parseAddresses(text, 'To')).toEqual([text]);
	},
);

it.each([
	...['anna', '@example.com', 'anna@', 'a@b@c', 'an na@example.com', 'Anna anna@example.com'],
	...[`x"${address}"`, `<${address}>x`, `xmailto:${address}x y`, '["a@x.example"'],
])('an address is not %j', (wrong) => {
	expect(() => parseAddresses(['good@example.com', wrong], 'To: Add')).toThrow(
		`"${wrong}" in "To: Add" is not an email address`,
	);
});

it.each([
	[() => parseList(['a', 'a'.repeat(2001)], label), 'has a value of more than 2000 characters'],
	[() => parseShortText('a'.repeat(2001), label), 'has a value of more than 2000 characters'],
	[() => assertAddress('a'.repeat(2001), label), 'has a value of more than 2000 characters'],
	[() => parseText(null, label), 'is empty'],
	[() => parseText([1], label), 'is not text'],
	[() => parseInteger(' 0 ', label, 1, 9), 'must be a whole number, from 1 to 9'],
	[() => parseBoolean('yes', label), 'must be true or false'],
	[() => parseChoice('c', label, kindChoices), 'has an unknown value'],
])('an error names the field and says what to enter: %s', (parse, problem) => {
	const description = expect.stringMatching(/Enter|Turn|Choose/) as string;
	expect(parse).toThrow(expect.objectContaining({ message: `"${label}" ${problem}`, description }));
});
