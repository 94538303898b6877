import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { mockRules } from '../../support/mockRules.cts';
import { dayFromNow } from '../../support/polling.cts';
import {
	currentRules,
	output,
	path,
	rules,
	update,
	withoutCurrentRules,
} from '../../support/updateRules.cts';

const service = mockService();

const ZONES = ['Etc/GMT+12', 'UTC', 'Etc/GMT-14'];
const withTime = (time: IDataObject) => ({ ...currentRules(), time });
const methods = () => service.requests.map(({ method }) => method).join(' ');

describe('the number of days until access ends', () => {
	it.each(ZONES)('counts from today in the time zone of the workflow: %s', async (timezone) => {
		for (const days of [0, 30]) {
			const store = mockRules(service, path, withTime({}), { reads: 1, changes: 1 });
			const expected = dayFromNow(days, timezone);

			const { error } = await update(rules({ accessDays: days }), {}, { timezone });

			expect(error).toBeUndefined();
			expect([expected, dayFromNow(days, timezone)]).toContain(
				(store.changes[0].time as IDataObject).end,
			);
		}
	});
});

describe('the number of days to extend access', () => {
	it.each([{}, withoutCurrentRules])(
		'moves the current end with the options %j',
		async (options) => {
			const store = mockRules(service, path, currentRules(), { reads: 1, changes: 1 });

			const { error, items } = await update(rules({ extendByDays: 7 }), options);

			const end = '2100-01-07';
			const all = withTime({ start: '2026-01-01', end });
			const sent = 'keepOtherRules' in options ? { time: { end } } : all;
			expect(error).toBeUndefined();
			expect(store.changes).toEqual([sent]);
			expect(items[0].json).toMatchObject({ containerId: 'c-1', time: { end } });
			expect(methods()).toBe('GET PATCH');
		},
	);

	it.each(ZONES)('counts from today where access is over: %s', async (timezone) => {
		const ended = withTime({ end: dayFromNow(-1, timezone) });
		const store = mockRules(service, path, ended, { reads: 1, changes: 1 });
		const expected = dayFromNow(7, timezone);

		await update(rules({ extendByDays: 7 }), {}, { timezone });

		expect([expected, dayFromNow(7, timezone)]).toContain(
			(store.changes[0].time as IDataObject).end,
		);
	});

	it('adds up for several items with the same container', async () => {
		const store = mockRules(service, path, currentRules(), { reads: 2, changes: 2 });

		await update(
			rules({ extendByDays: 7 }),
			{},
			{ items: [1, 2].map(() => ({ json: { id: 'c-1' } })) },
		);

		expect(store.changes.map(({ time }) => (time as IDataObject).end)).toEqual([
			'2100-01-07',
			'2100-01-14',
		]);
	});

	it.each([
		['no window', {}],
		['no end', { time: { start: '2026-01-01', end: null } }],
		['an end that stands for none', { time: { end: '9999-12-31' } }],
	])('sends nothing for a container with %s, and returns its rules', async (_what, time) => {
		const others: Record<string, unknown> = currentRules();
		delete others.time;
		for (const options of [{}, withoutCurrentRules]) {
			service
				.scope()
				.get(path)
				.reply(200, { ...others, ...time });

			const { error, items } = await update(rules({ extendByDays: 7 }), options);

			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json)).toEqual([output({ ...others, ...time }, false)]);
		}
		expect(methods()).toBe('GET GET');
	});

	it('sends the other rules where the container has no end', async () => {
		const store = mockRules(service, path, { dynamic: true }, { reads: 1, changes: 1 });

		const { error } = await update(rules({ extendByDays: 7, opens: 1 }));

		expect(error).toBeUndefined();
		expect(store.changes).toEqual([{ dynamic: true, opens: 1 }]);
	});

	it('is an error where the current end cannot be read, and nothing is sent', async () => {
		service
			.scope()
			.get(path)
			.reply(200, withTime({ end: '12/31/2099' }));

		const { error } = await update(rules({ extendByDays: 7 }));

		expect(error?.message).toMatch(
			/current end of the container "c-1" is not a date that can be read \[item 0\]/,
		);
		expect(error?.description).toContain('12/31/2099');
		expect(methods()).toBe('GET');
	});
});

describe('a window that would end before it starts', () => {
	it.each<[IDataObject, RegExp]>([
		[
			{ timeStart: '2100-01-01' },
			/"Available Until" \(2099-12-31\) is before "Available From" \(2100-01-01\)/,
		],
		[
			{ accessDays: 0 },
			/"Days Until Access Ends" \(.*\) is before "Available From" \(2099-06-01\)/,
		],
	])('is rejected against the days of the container: %j', async (fields, message) => {
		service
			.scope()
			.get(path)
			.reply(200, withTime({ start: '2099-06-01', end: '2099-12-31' }));

		const { error } = await update(rules(fields));

		expect(error?.message).toMatch(message);
		expect(methods()).toBe('GET');
	});

	it.each<[IDataObject, IDataObject]>([
		[{ start: '2099-06-01T08:00:00Z' }, { timeEnd: '2099-06-01' }],
		[{ end: '2099-06-01T08:00:00Z' }, { timeStart: '2099-06-01' }],
	])(
		'is not one of a single day, which the container shows with a time: %j',
		async (time, fields) => {
			service.contract.depart({ drmTimes: 'timestamp' });
			const store = mockRules(service, path, withTime(time), { reads: 1, changes: 1 });

			const { error } = await update(rules(fields));

			expect(error).toBeUndefined();
			expect(store.changes).toHaveLength(1);
		},
	);

	it('is sent in JSON', async () => {
		const store = mockRules(service, path, currentRules(), { reads: 1, changes: 1 });

		const { error } = await update({
			specifyRules: 'json',
			rulesJson: '{ "time": { "start": "2100-06-01" } }',
		});

		expect(error).toBeUndefined();
		expect(store.changes[0].time).toEqual({ start: '2100-06-01', end: '2099-12-31' });
	});
});
