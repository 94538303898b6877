import type { DrmRules } from '../../../../../nodes/shared/api/records';
import {
	assertChangeable,
	changeRecipients,
	endWindow,
	hasEnded,
	mergeRules,
} from '../../../../../nodes/EncryptedContainers/resources/drm/ruleChanges';

const present = (): DrmRules => ({
	dynamic: true,
	geo: { allow: [{ country: 'CH' }], block: [{ country: 'KP' }] },
	ip: { allow: ['192.0.2.1'] },
	opens: 5,
	time: { start: '2026-01-01', end: '2026-12-31' },
	downloadable: false,
	recipients: ['anna@example.com', 'bob@example.com'],
});

const none = { add: [], remove: [] };

describe('merged rules', () => {
	it.each<[string, DrmRules, DrmRules]>([
		['a number', { opens: 1 }, { opens: 1 }],
		['a switch', { downloadable: true }, { downloadable: true }],
		[
			'an end, the start kept',
			{ time: { end: '2027-06-30' } },
			{ time: { start: '2026-01-01', end: '2027-06-30' } },
		],
		[
			'a start, the end kept',
			{ time: { start: '2026-06-30' } },
			{ time: { start: '2026-06-30', end: '2026-12-31' } },
		],
		[
			'one list of countries, the other kept',
			{ geo: { allow: [{ country: 'DE' }] } },
			{ geo: { allow: [{ country: 'DE' }], block: [{ country: 'KP' }] } },
		],
		[
			'a list that was not there',
			{ ip: { block: ['198.51.100.0/24'] } },
			{ ip: { allow: ['192.0.2.1'], block: ['198.51.100.0/24'] } },
		],
		[
			'recipients, replaced',
			{ recipients: ['carl@example.com'] },
			{ recipients: ['carl@example.com'] },
		],
		[
			'rules that are null, as JSON may give them',
			{ geo: null, time: null } as unknown as DrmRules,
			{ geo: null, time: null } as unknown as DrmRules,
		],
	])('change %s, and nothing else', (_what, change, changed) => {
		expect(mergeRules(present(), change, none)).toEqual({ ...present(), ...changed });
	});

	it('leave what they are made from as it was', () => {
		const before = present();
		const change = { time: { end: '2027-01-01' } };
		mergeRules(before, change, { add: ['x@example.com'], remove: ['bob@example.com'] });
		expect(before).toEqual(present());
		expect(change).toEqual({ time: { end: '2027-01-01' } });
	});

	it('may be made from nothing', () => {
		expect(mergeRules({}, { opens: 1, time: { end: '2026-01-01' } }, none)).toEqual({
			opens: 1,
			time: { end: '2026-01-01' },
		});
	});

	it('are refused when the new end is before the present start', () => {
		expect(() => mergeRules(present(), { time: { end: '2025-12-31' } }, none)).toThrow(
			'"Available Until" (2025-12-31) is before "Available From" (2026-01-01)',
		);
	});

	it('may end on the day on which they start, however that day is reported', () => {
		const reported = { time: { start: '2026-01-01T00:00:00.000Z' } };
		expect(mergeRules(reported, { time: { end: '2026-01-01' } }, none)).toEqual({
			time: { start: '2026-01-01T00:00:00.000Z', end: '2026-01-01' },
		});
	});

	it('take a day that is reported as null for one that is not set', () => {
		const reported = { time: { start: null, end: null } } as unknown as DrmRules;
		expect(mergeRules(reported, { time: { end: '2026-12-31' } }, none)).toEqual({
			time: { end: '2026-12-31' },
		});
	});
});

describe('changed recipients', () => {
	it.each([
		['added at the end', ['c@x'], [], ['a@x', 'b@x', 'c@x']],
		['not added twice, whatever the capitals', ['A@X', 'c@x'], [], ['a@x', 'b@x', 'c@x']],
		['removed, whatever the capitals', [], ['B@X'], ['a@x']],
		['removed where they were not', [], ['z@x'], ['a@x', 'b@x']],
		['replaced one by one', ['c@x'], ['a@x'], ['b@x', 'c@x']],
		['all replaced', ['c@x'], ['a@x', 'b@x'], ['c@x']],
		['added although removed', ['a@x'], ['a@x'], ['b@x', 'a@x']],
	])('are %s', (_how, add, remove, expected) => {
		expect(changeRecipients(['a@x', 'b@x'], { add, remove })).toEqual(expected);
	});

	it('begin a list where there is none', () => {
		expect(changeRecipients(undefined, { add: ['a@x'], remove: [] })).toEqual(['a@x']);
	});

	it('are left alone when nothing is to change', () => {
		expect(changeRecipients(['a@x'], none)).toBeUndefined();
	});

	it.each([
		['all are removed', ['a@x'], ['a@x']],
		['some are removed from no list', undefined, ['a@x']],
		['some are removed from an empty list', [], ['a@x']],
	])('are refused, with the way to end access, when %s', (_when, list, remove) => {
		expect(() => changeRecipients(list, { add: [], remove })).toThrow(
			expect.objectContaining({
				message: '"Recipients: Remove" would leave no recipient',
				description: expect.stringContaining('Revoke Access'),
			}),
		);
	});
});

describe('an ended window', () => {
	const day = '2026-11-20';

	it.each<[string, DrmRules['time'] | null, object]>([
		['no window', undefined, { end: day }],
		['an unset window', null, { end: day }],
		['unset days', { start: null, end: null } as never, { end: day }],
		['an end alone', { end: '2026-12-31' }, { end: day }],
		[
			'a start before',
			{ start: '2026-01-01', end: '2026-12-31' },
			{ start: '2026-01-01', end: day },
		],
		['a start on the day', { start: day }, { start: day, end: day }],
		['a start after', { start: '2026-12-01', end: '2026-12-31' }, { start: day, end: day }],
		[
			'a start before, with a time',
			{ start: '2026-11-20T08:00:00.000Z' },
			{ start: '2026-11-20T08:00:00.000Z', end: day },
		],
		['a start after, with a time', { start: '2026-11-21T00:00:00.000Z' }, { start: day, end: day }],
	])('replaces %s and keeps every other rule', (_what, time, ended) => {
		const rules = { ...present(), time } as DrmRules;
		expect(endWindow(rules, day)).toEqual({ ...present(), time: ended });
		expect(rules.time).toBe(time);
	});

	it.each<[DrmRules | undefined, boolean]>([
		[{ time: { end: day } }, true],
		[{ time: { end: '2026-11-19' } }, true],
		[{ time: { end: '2026-11-20T23:59:59.000Z' } }, true],
		[{ time: { end: '2026-11-21' } }, false],
		[{ time: { start: '2026-01-01' } }, false],
		[{ time: { end: null } } as never, false],
		[{}, false],
		[undefined, false],
	])('is told from one that has not: %j → %s', (rules, expected) => {
		expect(hasEnded(rules, day)).toBe(expected);
	});
});

describe('fixed rules', () => {
	it('cannot be changed, and the message says what to do instead', () => {
		expect(() => assertChangeable({ dynamic: false })).toThrow(
			expect.objectContaining({
				message: 'The rules of this container are fixed',
				description: expect.stringContaining('Encode the files again'),
			}),
		);
	});

	it.each([{ dynamic: true }, {}])('are only those that say so: %j are not', (rules) => {
		expect(() => assertChangeable(rules)).not.toThrow();
	});
});
