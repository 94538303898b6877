import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { mockRules } from '../support/mockRules.cts';
import { revoke } from '../support/revoke.cts';

const service = mockService();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A day at UTC-12, where days end last: day(-1) is the last one that is over everywhere. */
const day = (offset: number) =>
	new Date(Date.now() - 12 * HOUR + offset * DAY).toISOString().slice(0, 10);
const midnight = (text: string) => Date.parse(`${text}T00:00:00Z`);

const path = '/containers/c-1/drm';
const others = { dynamic: true, opens: 5, recipients: ['anna@example.com'] };
const rulesWith = (time: unknown) => ({ ...others, time }) as IDataObject;
const output = (rules: IDataObject, changed = true) => ({ containerId: 'c-1', changed, ...rules });

/** A test that runs over midnight at UTC-12 would compare two days. */
beforeEach(async () => {
	const left = DAY - ((Date.now() - 12 * HOUR) % DAY);
	if (left < 3_000) await new Promise((resolve) => setTimeout(resolve, left + 100));
});

describe('revoking access to a container whose end', () => {
	it.each<[string, unknown]>([
		['is empty text', ''],
		['is null', null],
		['is the first year', '0001-01-01T00:00:00Z'],
		['is zeros', '0000-00-00'],
		['is the first second', 0],
		['is the first second as a timestamp', '1970-01-01T00:00:00.000Z'],
		['has slashes', '12/31/2099'],
		['has slashes and is over', '01/01/2020'],
		['is in the future, in seconds', Date.UTC(2099, 11, 31) / 1000],
		['is in the future, in milliseconds', Date.UTC(2099, 11, 31)],
		['is in the year 9999, in seconds', 253_402_300_799],
		['is today, in seconds', midnight(day(0)) / 1000],
		['is today, as a timestamp whose moment is yesterday', `${day(0)}T00:30:00+14:00`],
		['is over by the day, but in UTC', new Date(Date.now() + HOUR).toISOString()],
		['is a list in the future', [2099, 12, 31]],
		['is words', 'never'],
		['is true', true],
		['is an object', { day: '2020-01-01' }],
	])('%s sends the end, and returns it', async (_what, end) => {
		const before = rulesWith({ start: '2026-01-01', end });
		const store = mockRules(service, path, before, { reads: 1, changes: 1 });

		const { items, error } = await revoke();

		expect(error).toBeUndefined();
		expect(store.changes).toEqual([rulesWith({ start: '2026-01-01', end: day(-1) })]);
		expect(items.map(({ json }) => json)).toEqual(store.changes.map((rules) => output(rules)));
	});

	it.each<[string, unknown]>([
		['a day', day(-1)],
		['a timestamp', `${day(-1)}T23:59:59.000Z`],
		['seconds', midnight(day(-1)) / 1000],
		['milliseconds', midnight(day(-1))],
	])('is over in any form sends nothing: %s', async (_form, end) => {
		service
			.scope()
			.get(path)
			.reply(200, rulesWith({ end }) as Record<string, unknown>);

		const { items, error } = await revoke();

		expect(error).toBeUndefined();
		expect(items[0].json).toEqual(output(rulesWith({ end }), false));
		expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
	});
});

describe('the end that the service returns after the change', () => {
	const forms: Array<[string, (text: string) => unknown]> = [
		['a timestamp', (text) => `${text}T00:00:00.000Z`],
		['a timestamp at the end of the day', (text) => `${text}T23:59:59-05:00`],
		['seconds', (text) => midnight(text) / 1000],
		['milliseconds', (text) => midnight(text)],
		['seconds in text', (text) => String(midnight(text) / 1000)],
		['the end of the day in New York, in seconds', (text) => midnight(text) / 1000 + 29 * 3600 - 1],
	];

	it.each(forms)('counts as ended in any form: %s', async (_form, format) => {
		service
			.scope()
			.get(path)
			.reply(200, rulesWith({ end: format('2099-12-31') }));
		service
			.scope()
			.patch(path)
			.reply(200, rulesWith({ end: format(day(-1)) }));

		const { items, error } = await revoke();

		expect(error).toBeUndefined();
		expect(items[0].json).toEqual(output(rulesWith({ end: format(day(-1)) })));
		expect(service.requests[1].body).toEqual(rulesWith({ end: day(-1) }));
	});

	it('counts as ended where there was no window', async () => {
		const shown = rulesWith({ end: `${day(0)}T00:00:00Z` });
		service.scope().get(path).reply(200, others);
		service
			.scope()
			.patch(path)
			.reply(200, shown as Record<string, unknown>);

		const { items, error } = await revoke();

		expect(error).toBeUndefined();
		expect(items[0].json).toEqual(output(shown));
	});

	it.each<[string, unknown, RegExp]>([
		[
			'is no date',
			'12/31/2099',
			/an end that is no date \(12\/31\/2099\) instead of rules that end/,
		],
		['is an object', { day: 31 }, /an end that is no date \({"day":31}\)/],
		['is zeros', '0000-00-00', /an end that is no date \(0000-00-00\)/],
		['is empty', '', /rules without an end/],
		['is null', null, /rules without an end/],
		['is today', day(0), /still end on/],
	])('is an error when it %s', async (_what, end, message) => {
		const reported = rulesWith({ end }) as Record<string, unknown>;
		service
			.scope()
			.get(path)
			.reply(200, rulesWith({ end: '2099-12-31' }));
		// An end that is another than before could be somebody else's, so it is tried twice.
		service.scope().patch(path).times(2).reply(200, reported);
		service.scope().get(path).times(10).optionally().reply(200, reported);

		const { items, error } = await revoke();

		expect(error?.message).toMatch(message);
		expect(items).toEqual([]);
	});
});

describe('a window in the future', () => {
	it.each<[string, unknown]>([
		['a day', '2099-01-01'],
		['a timestamp', '2099-01-01T00:00:00Z'],
		['seconds', Date.UTC(2099, 0, 1) / 1000],
		['what cannot be read', '01/31/2099'],
		['tomorrow', day(1)],
		['today', day(0)],
	])(
		'moves as a whole to a day that is over everywhere, in one request: %s',
		async (_form, start) => {
			const before = rulesWith({ start, end: '2099-12-31' });
			const store = mockRules(service, path, before, { reads: 1, changes: 1 });

			const { error } = await revoke();

			expect(error).toBeUndefined();
			expect(store.changes).toEqual([rulesWith({ start: day(-1), end: day(-1) })]);
			// The last moment of the day, where it ends last.
			expect(midnight(day(-1)) + DAY + 12 * HOUR).toBeLessThanOrEqual(Date.now());
		},
	);
});
