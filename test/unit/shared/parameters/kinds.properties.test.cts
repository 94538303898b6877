import fc from 'fast-check';
import { DateTime } from 'luxon';
import { UserError } from 'n8n-workflow';
import { parseDate } from '../../../../nodes/shared/parameters/dates';
import { parseAddresses, parseList } from '../../../../nodes/shared/parameters/lists';
import {
	parseBoolean,
	parseChoice,
	parseInteger,
	parseText,
} from '../../../../nodes/shared/parameters/scalars';
import { always, anyText } from '../../support/seeded.cts';

const label = 'The Field';
const choices = [
	{ name: 'Create Another', value: 'create' },
	{ name: 'Fail', value: 'fail' },
];
const kinds = {
	text: (value: unknown) => parseText(value, label),
	boolean: (value: unknown) => parseBoolean(value, label),
	integer: (value: unknown) => parseInteger(value, label, 0),
	choice: (value: unknown) => parseChoice(value, label, choices),
	list: (value: unknown) => parseList(value, label),
	addresses: (value: unknown) => parseAddresses(value, label),
	date: (value: unknown) => parseDate(value, label, 'Europe/Zurich'),
};
type Kind = keyof typeof kinds;

const moment = DateTime.fromISO('2026-12-31T20:00:00Z');
const refused = Symbol('refused');

/** What each kind makes of what an expression can return. What is not listed is refused. */
const table: Array<[string, unknown, Partial<Record<Kind, unknown>>]> = [
	['undefined', undefined, { list: [], addresses: [] }],
	['null', null, { list: [], addresses: [] }],
	['empty text', '', { text: '', list: [], addresses: [] }],
	['an empty list', [], { list: [], addresses: [] }],
	['a list of nothing', [''], { list: [], addresses: [] }],
	['NaN', Number.NaN, {}],
	['infinity', Number.POSITIVE_INFINITY, {}],
	['an object', { a: 1 }, {}],
	['a list of objects', [{ a: 1 }], {}],
	['a list of null', [null], {}],
	['a number', 7, { text: '7', integer: 7 }],
	['a number as text', ' 7 ', { text: ' 7 ', integer: 7, list: ['7'] }],
	['a fraction', 1.5, { text: '1.5' }],
	['true', true, { text: 'true', boolean: true }],
	['"True"', 'True', { text: 'True', boolean: true, list: ['True'] }],
	['" FALSE "', ' FALSE ', { text: ' FALSE ', boolean: false, list: ['FALSE'] }],
	['a Date', moment.toJSDate(), { text: '2026-12-31T20:00:00.000Z', date: '2026-12-31' }],
	['a DateTime', moment, { text: '2026-12-31T20:00:00.000Z', date: '2026-12-31' }],
	['an invalid Date', new Date('never'), {}],
	['an invalid DateTime', DateTime.fromISO('never'), {}],
	['a day', '2026-12-31', { text: '2026-12-31', list: ['2026-12-31'], date: '2026-12-31' }],
	['a choice', 'fail', { text: 'fail', choice: 'fail', list: ['fail'] }],
	[
		'the display name of a choice',
		' create another',
		{ text: ' create another', choice: 'create', list: ['create another'] },
	],
	['a list of text', ['a', 'b;c'], { list: ['a', 'b', 'c'] }],
	['a JSON array in text', ' ["a", "b"] ', { text: ' ["a", "b"] ', list: ['a', 'b'] }],
	['brackets that are no JSON', '[a', { text: '[a', list: ['[a'] }],
	[
		'an address',
		'a@x.example',
		{ text: 'a@x.example', list: ['a@x.example'], addresses: ['a@x.example'] },
	],
	[
		'addresses in a JSON array in text',
		'["a@x.example","b@x.example"]',
		{
			text: '["a@x.example","b@x.example"]',
			list: ['a@x.example', 'b@x.example'],
			addresses: ['a@x.example', 'b@x.example'],
		},
	],
	[
		'an object with an address',
		{ email: 'a@x.example', name: 'A' },
		{ addresses: ['a@x.example'] },
	],
	[
		'objects with addresses',
		[{ email: 'a@x.example' }, 'b@x.example'],
		{ addresses: ['a@x.example', 'b@x.example'] },
	],
	['an object with an address that is none', [{ email: null }], {}],
	['an address and null', ['a@x.example', null], {}],
];

describe.each(Object.keys(kinds) as Kind[])('%s', (kind) => {
	const outcome = (value: unknown): unknown => {
		try {
			return kinds[kind](value);
		} catch {
			return refused;
		}
	};

	it.each(table)('from %s', (_what, value, expected) => {
		expect(outcome(value)).toEqual(kind in expected ? expected[kind] : refused);
	});

	it('is parsed or refused with the name of the field, whatever the value', async () => {
		const values = fc.oneof(
			fc.anything({ withDate: true, withBigInt: true, withNullPrototype: true }),
			anyText,
		);
		await always(
			fc.property(values, (value) => {
				try {
					kinds[kind](value);
				} catch (error) {
					expect(error).toBeInstanceOf(UserError);
					const { message, description } = error as UserError;
					expect(message).toContain(`"${label}"`);
					expect(description).toContain(`"${label}"`);
				}
			}),
			2000,
		);
	});

	it('says what the expression returned', () => {
		for (const [value, words] of [
			[{ a: 1 }, 'The expression returned an object.'],
			[Number.NaN, 'The value is NaN.'],
		]) {
			expect(() => kinds[kind](value)).toThrow(
				expect.objectContaining({ description: expect.stringContaining(String(words)) }),
			);
		}
	});
});

describe.each(['text', 'boolean', 'integer', 'choice', 'date'] as const)('%s', (kind) => {
	it.each([undefined, null])('says that the expression returned nothing: %p', (value) => {
		expect(() => kinds[kind](value)).toThrow(
			expect.objectContaining({
				description: expect.stringContaining('The expression returned nothing.'),
			}),
		);
	});
});

describe('an address', () => {
	it.each([
		'"anna@x.example"',
		"'anna@x.example'",
		'<anna@x.example>',
		'Anna Berg <anna@x.example>',
		'mailto:anna@x.example',
		'MAILTO:anna@x.example?subject=Hi',
		'"mailto:anna@x.example"',
		'anna@x.example;',
		' anna@x.example , ',
		'"anna@x.example";',
	])('is told from what surrounds it: %s', (text) => {
		expect(parseAddresses(text, label)).toEqual(['anna@x.example']);
	});

	it('is the same whatever surrounds it, one or many', async () => {
		const part = fc.stringMatching(/^[a-z0-9.+*-]{1,12}$/);
		const address = fc.tuple(part, part).map(([local, domain]) => `${local}@${domain}`);
		const surround = fc.constantFrom(
			(text: string) => text,
			(text: string) => ` ${text} `,
			(text: string) => `"${text}"`,
			(text: string) => `'${text}'`,
			(text: string) => `<${text}>`,
			(text: string) => `"Berg, Anna" <${text}>`,
			(text: string) => `mailto:${text}`,
		);
		const form = fc.constantFrom<(texts: string[]) => unknown>(
			(texts) => texts,
			(texts) => texts.join(', '),
			(texts) => `${texts.join(';\n')};`,
			(texts) => JSON.stringify(texts),
			(texts) => texts.map((email) => ({ email })),
		);
		await always(
			fc.property(
				fc.uniqueArray(address, { minLength: 1, maxLength: 5 }),
				surround,
				form,
				(addresses, wrap, arrange) => {
					expect(parseAddresses(arrange(addresses.map(wrap)), label)).toEqual(addresses);
				},
			),
		);
	});

	it('is parsed quickly, even when it is long', () => {
		const startedAt = Date.now();
		for (const text of [
			`a${' '.repeat(100_000)}b`,
			'"'.repeat(100_000),
			`mailto:${'?'.repeat(100_000)}`,
			`<${'<'.repeat(100_000)}`,
		]) {
			expect(() => parseAddresses([text], label)).toThrow(`in "${label}"`);
		}
		expect(Date.now() - startedAt).toBeLessThan(5_000);
	});
});
