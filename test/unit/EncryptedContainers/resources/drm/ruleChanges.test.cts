import type { DrmRules } from '../../../../../nodes/shared/api/drmRules';
import type { EndField } from '../../../../../nodes/EncryptedContainers/parameters/drmRules';
import {
	assertChangeable,
	assertFitsWindow,
	assertRecipientsNotEmptied,
	changeRecipients,
	endWindow,
	extendWindow,
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
			'an end, and keep the start',
			{ time: { end: '2027-06-30' } },
			{ time: { start: '2026-01-01', end: '2027-06-30' } },
		],
		[
			'a start, and keep the end',
			{ time: { start: '2026-06-30' } },
			{ time: { start: '2026-06-30', end: '2026-12-31' } },
		],
		[
			'one list of countries, and keep the other',
			{ geo: { allow: [{ country: 'DE' }] } },
			{ geo: { allow: [{ country: 'DE' }], block: [{ country: 'KP' }] } },
		],
		[
			'a list that did not exist',
			{ ip: { block: ['198.51.100.0/24'] } },
			{ ip: { allow: ['192.0.2.1'], block: ['198.51.100.0/24'] } },
		],
		[
			'recipients, replacing all',
			{ recipients: ['carl@example.com'] },
			{ recipients: ['carl@example.com'] },
		],
		[
			'rules that are null in JSON',
			{ geo: null, time: null } as unknown as DrmRules,
			{ geo: null, time: null } as unknown as DrmRules,
		],
	])('change %s, and nothing else', (_what, change, changed) => {
		expect(mergeRules(present(), change, none)).toEqual({ ...present(), ...changed });
	});

	it('leave the current rules unmodified', () => {
		const before = present();
		const change = { time: { end: '2027-01-01' } };
		mergeRules(before, change, { add: ['x@example.com'], remove: ['bob@example.com'] });
		expect(before).toEqual(present());
		expect(change).toEqual({ time: { end: '2027-01-01' } });
	});

	it('can start from no rules', () => {
		expect(mergeRules({}, { opens: 1, time: { end: '2026-01-01' } }, none)).toEqual({
			opens: 1,
			time: { end: '2026-01-01' },
		});
	});

	it('can end on the day they start, in any format of that day', () => {
		const reported = { time: { start: '2026-01-01T00:00:00.000Z' } };
		expect(mergeRules(reported, { time: { end: '2026-01-01' } }, none)).toEqual({
			time: { start: '2026-01-01T00:00:00.000Z', end: '2026-01-01' },
		});
	});

	it('contain the day of an end that the service shows as a number', () => {
		const reported = { time: { end: 1_798_416_000 } } as unknown as DrmRules;
		expect(mergeRules(reported, { time: { start: '2026-12-01' } }, none)).toEqual({
			time: { start: '2026-12-01', end: '2026-12-28' },
		});
	});

	it('treat a day that is null as not set', () => {
		const reported = { time: { start: null, end: null } } as unknown as DrmRules;
		expect(mergeRules(reported, { time: { end: '2026-12-31' } }, none)).toEqual({
			time: { end: '2026-12-31' },
		});
	});
});

describe('a new day', () => {
	it.each<[string, DrmRules, EndField | undefined, string, string]>([
		[
			'an end before the current start',
			{ time: { end: '2025-12-31' } },
			'accessDays',
			'"Days Until Access Ends" ends access on 2025-12-31, but the container\'s current start date is 2026-01-01',
			'End access on 2026-01-01 or later, or add "Available From" with an earlier day.',
		],
		[
			'an end that comes from no other field',
			{ time: { end: '2025-12-31' } },
			undefined,
			'"Available Until" ends access on 2025-12-31, but the container\'s current start date is 2026-01-01',
			'End access on 2026-01-01 or later, or add "Available From" with an earlier day.',
		],
		[
			'a start after the current end',
			{ time: { start: '2027-01-01' } },
			undefined,
			'"Available From" is 2027-01-01, but the container\'s current end date is 2026-12-31',
			'Pick an earlier day in "Available From", or add "Available Until" with a later one.',
		],
		[
			'both, in the wrong order',
			{ time: { start: '2027-01-02', end: '2027-01-01' } },
			'extendByDays',
			'"Days to Extend Access" (2027-01-01) is before "Available From" (2027-01-02)',
			'In "Days to Extend Access", end access on 2027-01-02 or later.',
		],
	])('is rejected: %s', (_what, change, endField, message, description) => {
		expect(() => assertFitsWindow(present(), change, endField)).toThrow(
			expect.objectContaining({ message, description }),
		);
	});

	it.each<DrmRules>([
		{},
		{ opens: 1 },
		{ time: { start: '2026-12-31' } },
		{ time: { end: '2026-01-01' } },
		{ time: { start: '2027-01-01', end: '2027-01-01' } },
	])('can be %j', (change) => {
		for (const rules of [present(), {}, { time: { start: 'soon', end: 'never' } }]) {
			expect(() => assertFitsWindow(rules, change)).not.toThrow();
		}
	});
});

describe('an extended window', () => {
	const extend = (end: unknown, change: DrmRules = {}) =>
		extendWindow({ time: { end } } as DrmRules, change, 7, '2026-11-21');

	it.each<[string, unknown, string]>([
		['a later day', '2026-12-28', '2027-01-04'],
		['today', '2026-11-21', '2026-11-28'],
		['a day that is over', '2020-01-01', '2026-11-28'],
		['a moment, as shown', '2026-12-28T23:00:00+01:00', '2027-01-04'],
		['seconds', 1_798_416_000, '2027-01-04'],
	])('ends later than %s', (_what, end, expected) => {
		expect(extend(end)).toEqual({ time: { end: expected } });
	});

	it.each([undefined, null, '', '0001-01-01T00:00:00Z', 0, '9000-01-01', '9999-12-31'])(
		'has no end before and afterwards: %j',
		(end) => {
			const change = { opens: 2 };
			expect(extend(end, change)).toBe(change);
		},
	);

	it('keeps a new start', () => {
		expect(extend('2026-12-28', { time: { start: '2026-11-22' } })).toEqual({
			time: { start: '2026-11-22', end: '2027-01-04' },
		});
	});

	it('has no end where there is no window', () => {
		expect(extendWindow({}, { opens: 2 }, 7, '2026-11-21')).toEqual({ opens: 2 });
	});

	it.each([
		['12/31/2099', '"12/31/2099"'],
		[{}, '{}'],
		['x'.repeat(200), `"${'x'.repeat(99)}`],
	])('is rejected where the end is no date: %j', (end, shown) => {
		expect(() => extend(end)).toThrow(
			expect.objectContaining({
				message: "The container's current end is not a date that can be read",
				description: `The service shows ${shown}. Set the new end with "Available Until" instead of "Days to Extend Access".`,
			}),
		);
	});
});

describe('changed recipients', () => {
	it.each([
		['added at the end', ['c@x'], [], ['a@x', 'b@x', 'c@x']],
		['not added twice, ignoring upper and lower case', ['A@X', 'c@x'], [], ['a@x', 'b@x', 'c@x']],
		['removed, ignoring upper and lower case', [], ['B@X'], ['a@x']],
		['unchanged when the removed one does not exist', [], ['z@x'], ['a@x', 'b@x']],
		['replaced one by one', ['c@x'], ['a@x'], ['b@x', 'c@x']],
		['all replaced', ['c@x'], ['a@x', 'b@x'], ['c@x']],
		['added when they are also removed', ['a@x'], ['a@x'], ['b@x', 'a@x']],
	])('are %s', (_how, add, remove, expected) => {
		expect(changeRecipients(['a@x', 'b@x'], { add, remove })).toEqual(expected);
	});

	it('start a list where there is none', () => {
		expect(changeRecipients(undefined, { add: ['a@x'], remove: [] })).toEqual(['a@x']);
	});

	it('stay the same without changes', () => {
		expect(changeRecipients(['a@x'], none)).toBeUndefined();
	});

	it('are rejected when a wildcard lets a removed one in, in any capitals', () => {
		const current = ['a@x.example', '*@X.example'];
		expect(() => changeRecipients(current, { add: [], remove: ['A@x.example'] })).toThrow(
			expect.objectContaining({
				message: '"a@x.example" would still have access through the recipient "*@X.example"',
				description:
					'Nothing was changed. Enter "*@X.example" in "Recipients: Remove" too, and everyone who keeps access in "Recipients: Add".',
			}),
		);
	});

	it.each([
		['all recipients are removed', ['a@x'], ['a@x']],
		['recipients are removed from a missing list', undefined, ['a@x']],
		['recipients are removed from an empty list', [], ['a@x']],
	])('are rejected, with the way to end access, when %s', (_when, list, remove) => {
		expect(() => changeRecipients(list, { add: [], remove })).toThrow(
			expect.objectContaining({
				message: '"Recipients: Remove" would remove all recipients',
				description: expect.stringContaining('Revoke Access'),
			}),
		);
	});
});

describe('recipients in JSON', () => {
	it.each([undefined, ['a@x'], ['', 'a@x'], 'a@x'])('can be %j', (recipients) => {
		expect(() => assertRecipientsNotEmptied({ recipients }, 'JSON')).not.toThrow();
	});

	it.each([[[]], [['', ' ']], [[null]], [''], [' '], [null]])('can not be %j', (recipients) => {
		expect(() => assertRecipientsNotEmptied({ recipients } as never, 'JSON')).toThrow(
			'"JSON" would remove all recipients',
		);
	});
});

describe('ending the window', () => {
	const day = '2026-11-20';

	it.each<[string, DrmRules['time'] | null, object]>([
		['no window', undefined, { end: day }],
		['an unset window', null, { end: day }],
		['unset days', { start: null, end: null } as never, { end: day }],
		['only an end', { end: '2026-12-31' }, { end: day }],
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
	])('recognizes whether it has ended: %j → %s', (rules, expected) => {
		expect(hasEnded(rules, day)).toBe(expected);
	});
});

describe('fixed rules', () => {
	it('cannot be changed, and the message says what to do instead', () => {
		expect(() => assertChangeable({ dynamic: false })).toThrow(
			expect.objectContaining({
				message: "The rules of this container can't be changed",
				description: expect.stringContaining('Encode the files again'),
			}),
		);
	});

	it.each([{ dynamic: true }, {}])('are only those marked as fixed: %j are not', (rules) => {
		expect(() => assertChangeable(rules)).not.toThrow();
	});
});
