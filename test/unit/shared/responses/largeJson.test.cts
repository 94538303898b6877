import fc from 'fast-check';

import { PAGE_LIMITS, readBody, RECORD_LIMITS } from '../../../../nodes/shared/responses/body';
import { toBody } from '../../support/body.cts';
import { always } from '../../support/seeded.cts';

const record = (index: number) => ({
	uuid: `c-${index}`,
	name: `Rechnung „${index}"\\`,
	tags: ['[', '{"', ',', `\\"${index}`],
	rules: { opens: index, time: { start: null } },
});
const records = (count: number) => Array.from({ length: count }, (_value, index) => record(index));
const many = (count: number, entry: string) => `[${Array(count).fill(entry).join()}]`;

const read = async (text: string, limits = PAGE_LIMITS) => (await readBody(text, limits)).body;

describe('a large body', () => {
	it.each<[string, unknown]>([
		['a list', records(4_000)],
		[
			'a list in objects',
			{ status: 'ok', data: { items: records(4_000), total: 4_000 }, after: 1 },
		],
		['several lists', { a: records(1_500), b: [], c: { d: records(1_500), e: [[[]], {}] } }],
		['lists in lists', Array.from({ length: 50 }, () => records(30))],
		['many small values', Array.from({ length: 90_000 }, (_value, index) => index % 7)],
		['a large object', { ...Array.from({ length: 20_000 }, (_value, index) => `value ${index}`) }],
		['a long text', { text: 'x'.repeat(1_500_000), list: [] }],
	])('is parsed as JSON.parse does: %s', async (_what, value) => {
		for (const text of [JSON.stringify(value), ` ${JSON.stringify(value, null, '\t')}\r\n`]) {
			expect(text.length).toBeGreaterThan(100_000);
			expect(await toBody(text)).toEqual({ kind: 'json', value });
		}
	});

	it('is parsed whatever the chunks in which it arrives', async () => {
		const value = { data: records(1_500), total: 1_500 };
		const bytes = Buffer.from(JSON.stringify(value));
		await always(
			fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (places) => {
				const cuts = [0, ...places.sort((a, b) => a - b), bytes.length];
				const chunks = cuts.slice(1).map((cut, index) => bytes.subarray(cuts[index], cut));
				const stream = (async function* () {
					for (const chunk of chunks) yield await Promise.resolve(chunk);
				})();
				expect(await toBody(stream)).toEqual({ kind: 'json', value });
			}),
			20,
		);
	});

	it('has exact numbers, and no keys of a prototype, in each of its parts', async () => {
		const entry = '{"id":9007199254740993,"__proto__":{"a":1},"text":"[9007199254740993]"}';
		const { value } = (await toBody(`{"data":${many(5_000, entry)},"__proto__":{"x":[1]}}`)) as {
			value: { data: object[] };
		};
		expect(Object.keys(value)).toEqual(['data']);
		expect(value.data).toHaveLength(5_000);
		expect(value.data[4_999]).toEqual({ id: '9007199254740993', text: '[9007199254740993]' });
		expect(Object.keys(value.data[4_999])).toEqual(['id', 'text']);
	});

	const list = JSON.stringify(records(4_000));

	it.each([
		['cut off', list.slice(0, -100), /^it ends too early, after \d+ characters$/],
		['cut off in text', `{"data":${list},"a":"b`, /^it ends too early, after \d+ characters$/],
		['without an entry', many(40_000, '1,'), /^it can't be parsed$/],
		['with a comma at its end', `${list.slice(0, -1)},]`, /can't be parsed/],
		['with another end', `${list.slice(0, -1)}}`, /can't be parsed/],
		['with another end in an object', `{"data":${list.slice(0, -1)}}`, /ends too early/],
		['with a wrong entry', `${list.slice(0, -1)},x]`, /can't be parsed/],
		['two lists', `${list}${list}`, /can't be parsed/],
		['with more behind it', `${list} x`, /can't be parsed/],
		['with ends in its entries', many(40_000, '[}'), /can't be parsed/],
		['with a deep entry', many(2_000, '['.repeat(100) + ']'.repeat(100)), /more than 100 levels/],
	])('is not accepted %s', async (_what, text, reason) => {
		expect(await toBody(text)).toEqual({
			kind: 'invalidJson',
			reason: expect.stringMatching(reason),
		});
	});

	it('is parsed with breaks in between', async () => {
		const takeBreak = jest.fn(async () => await Promise.resolve());
		await readBody(`[${'"x",'.repeat(250_000 - 1)}1]`, PAGE_LIMITS, { takeBreak });
		expect(takeBreak).toHaveBeenCalledTimes(15);
	});
});

describe('a bomb', () => {
	const MB = 1_000_000;

	it.each([
		['of empty objects', many(21 * MB, '{}')],
		['of numbers', many(30 * MB, '1')],
		['of empty texts, in an object', `{"data":${many(20 * MB, '""')}}`],
		['of nested lists', many(300_000, '['.repeat(90) + ']'.repeat(90))],
		['of one text', `["${'x'.repeat(63 * MB)}"]`],
		['of a text beside a list', `{"data":[],"x":"${'x'.repeat(9 * MB)}"}`],
		['of texts between lists', many(20, '"a":[],"x":"' + 'x'.repeat(MB) + '"').replace('[', '{')],
		['of blanks', `[${' '.repeat(63 * MB)}]`],
		['of fields', `{${'"a":1,'.repeat(10 * MB)}"a":1}`],
		['of many entries', many(250_002, '1')],
		['of a large entry', `[1,${many(150_000, '1')}]`],
	])('%s is refused', async (_what, text) => {
		expect(await read(text)).toEqual({
			kind: 'tooLarge',
			received: expect.stringMatching(
				/^(values that take more than 150 MB of memory|more than 250000 entries|one value of more than 8 MB, or with more than 50000 fields or entries)$/,
			),
		});
	});

	it('of names is refused', async () => {
		const names = Array.from({ length: 20_001 }, (_value, index) => ({ [`k${index}`]: 1 }));
		expect((await toBody(JSON.stringify(names.slice(1)))).kind).toBe('json');
		expect(await toBody(JSON.stringify(names))).toEqual({
			kind: 'invalidJson',
			reason: 'it has more than 20000 different names of fields',
		});
	});

	it('of blanks and text ends where it can', async () => {
		expect(await read(' '.repeat(9 * MB))).toEqual({ kind: 'empty' });
		expect(await read(`"${'x'.repeat(9 * MB)}"`)).toMatchObject({ kind: 'text' });
	});

	it('that is no page has smaller limits', async () => {
		const text = many(200, many(3_000, '[]'));
		expect(await read(text)).toMatchObject({ kind: 'json' });
		expect(await read(text, RECORD_LIMITS)).toMatchObject({
			received: 'values that take more than 40 MB of memory',
		});
	});
});
