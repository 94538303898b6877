import {
	changeRecipients,
	endAccess,
	extendEnd,
	findDifference,
	toWindow,
	type RulesChange,
} from '../../../../../nodes/EncryptedContainers/resources/drm/ruleChanges';
import type { DrmRules } from '../../../../../nodes/shared/api/shownRules';
import { addDays, getLastDayOverEverywhere } from '../../../../../nodes/shared/parameters/dates';
import { rowsOf } from '../../../../support/texts.cts';

const extend = (end: string | undefined, evenIfOver: boolean) =>
	extendEnd({ time: { end } }, { days: 7, evenIfOver, today: '2026-11-21', title: '"Offer"' });

it.each([
	['2026-12-28', '2027-01-04'],
	['2026-11-21', '2026-11-28'],
	[undefined, undefined],
	['9000-01-01', undefined],
])('access until %s ends, a week later, on %s', (end, extended) => {
	expect(extend(end, false)).toBe(extended);
	expect(extend(end, true)).toBe(extended);
});

it('access that is over is extended from today, where that is wanted', () => {
	expect(extend('2026-11-20', true)).toBe('2026-11-28');
	const message = 'Access to "Offer" has been over since the end of 2026-11-20';
	expect(() => extend('2026-11-20', false)).toThrow(message);
});

describe('changed recipients', () => {
	const change = (current: string[], add: string[], remove: string[]) =>
		changeRecipients(current, { add, remove }, 'the container "c-1"');

	it.each(
		rowsOf<[current: string[], add: string[], remove: string[], expected: string[]]>(`
			added at the end: [[a@x, b@x], [c@x], [], [a@x, b@x, c@x]]
			not added twice: [[a@x, b@x], [A@X, Bob <b@x>], [], [a@x, b@x]]
			removed, in all their forms: [[a@x, " A@x ", b@x], [], [a@X], [b@x]]
			unchanged when the removed one does not exist: [[a@x], [], [z@x], [a@x]]
			all replaced: [[a@x, b@x], [c@x], [a@x, b@x], [c@x]]
			removed with their wildcard: [["*@x", anna@X, "b*@x", c@y], [], ["*@x"], [c@y]]
			kept from a removed wildcard by name: [["*@x", a@x, b@x], [a@x], ["*@x"], [a@x]]
			kept where a wildcard covers others: [["*@z.x", a@x], [], ["*@x"], ["*@z.x"]]
		`),
	)('are %s', (_how, [current, add, remove, expected]) => {
		expect(change(current, add, remove)).toEqual(expected);
	});

	it.each<[string[], string[], string[], string]>([
		[['a@x.example', '*@X.example'], [], ['A@x.example'], '*@X.example'],
		[['a@x.example'], ['*@x.example'], ['a@x.example'], '*@x.example'],
		[['anna@*', 'b@y.example'], [], ['*@x.example'], 'anna@*'],
	])('of %j are rejected with %j, without %j, for %s', (current, add, remove, wildcard) => {
		expect(() => change(current, add, remove)).toThrow(
			expect.objectContaining({
				message: `"${remove[0]}" would still have access through the recipient "${wildcard}"`,
				description: `Nothing was changed. Enter "${wildcard}" in "Recipients: Remove" too, and everyone who keeps access in "Recipients: Add"; or set all with "Recipients: Replace All". It is a recipient of the container "c-1".`,
			}),
		);
	});

	it.each([
		[['a@x', 'b@x'], ['*@x']],
		[[], ['a@x']],
	])('are rejected when none would remain: %j without %j', (current, remove) => {
		expect(() => change(current, [], remove)).toThrow(
			expect.objectContaining({
				message: '"Recipients: Remove" would remove all recipients of the container "c-1"',
				description: expect.stringMatching(/^Nothing was changed\..*Revoke Access/),
			}),
		);
	});
});

const shown = (rules: DrmRules, tolerance: 0 | 1 = 0, unclear = {}) => ({
	...{ rules, unclear, tolerance, record: {} },
});
const last = getLastDayOverEverywhere();

it.each<[string | undefined, 0 | 1, string | undefined]>([
	[undefined, 0, last],
	[addDays(last, 1), 0, last],
	[last, 0, undefined],
	// The day of a moment can be the one before.
	[last, 1, addDays(last, -1)],
	[addDays(last, -1), 1, undefined],
])('ending access until %s, off by %s days, sends %s', (end, tolerance, sent) => {
	const patch = endAccess(shown({ time: { start: '2019-01-01', end } }, tolerance));
	expect(patch).toEqual(sent && { time: { end: sent } });
});

it.each<[DrmRules['time'] & object, unknown]>([
	[{ start: '2026-11-20', end: '2026-12-31' }, { end: '2026-12-31' }],
	[{ start: '2026-11-21' }, { start: '2026-11-21' }],
	[{ start: '2026-11-20' }, null],
])('the window %j is sent as %j', (window, sent) => {
	expect(toWindow(window, '2026-11-21')).toEqual(sent);
});

describe('what a service shows after a change', () => {
	const before: DrmRules = { recipients: ['a@x', 'b@x'], time: { end: '2026-12-31' } };
	const find = (change: RulesChange, rules: DrmRules, tolerance: 0 | 1 = 0, unclear = {}) => {
		const others = Object.entries(before).filter(([key]) => !(key in (change.patch ?? {})));
		const all = shown({ ...Object.fromEntries(others), ...rules }, tolerance, unclear);
		return findDifference(change, before, all, '2026-11-21')?.isWider;
	};
	const remove: RulesChange = { patch: { recipients: ['a@x'] } };
	const replace: RulesChange = { patch: { recipients: ['c@x'] }, isReplacement: true };
	const until = (end: string): RulesChange => ({ patch: { time: { end } } });
	const noEnd: RulesChange = { patch: { time: null } };
	const noDownload: RulesChange = { patch: { downloadable: false } };
	const [same, wider, less] = [undefined, true, false];

	it.each<[what: string, isWider: boolean | undefined, RulesChange, DrmRules]>([
		['the recipients, in another form', same, remove, { recipients: ['A@X'] }],
		['the owner, too', same, remove, { recipients: ['owner@x', 'a@x'] }],
		['somebody who always stays', same, replace, { recipients: ['a@x', 'c@x'] }],
		['the end', same, until('2026-12-01'), { time: { end: '2026-12-01' } }],
		['no end', same, noEnd, {}],
		['a day that stands for no end', same, noEnd, { time: { end: '9999-12-31' } }],
		['no download', same, noDownload, { downloadable: false }],
		['download that is not set', wider, noDownload, {}],
		['another number of opens', same, { patch: { opens: 5 } }, { opens: 4 }],
		['somebody who was removed', wider, remove, { recipients: ['a@x', 'b@x'] }],
		['somebody who was removed, and a new one', wider, remove, { recipients: ['b@x', 'c@x'] }],
		['the recipients of before', wider, replace, { recipients: ['b@x', 'a@x'] }],
		['a later end', wider, until('2026-12-01'), { time: { end: '2026-12-31' } }],
		['no end where there should be one', wider, until('2026-12-01'), {}],
		['download', wider, noDownload, { downloadable: true }],
		[
			...(['download beside recipients who do not show yet', wider] as const),
			{ patch: { recipients: ['a@x', 'c@x'], downloadable: false } },
			{ recipients: ['a@x'], downloadable: true },
		],
		['not who was added', less, { patch: { recipients: ['a@x', 'b@x', 'c@x'] } }, before],
		['an earlier end', less, until('2027-12-01'), before],
		[
			...(['no download where there should be', less] as const),
			{ patch: { downloadable: true } },
			{ downloadable: false },
		],
	])('can be %s: more access than wanted is %s', (_what, isWider, change, rules) => {
		expect(find(change, rules)).toBe(isWider);
	});

	it('can be the day before and after, where it shows moments', () => {
		for (const end of ['2026-11-30', '2026-12-02']) {
			expect(find(until('2026-12-01'), { time: { end } }, 1)).toBeUndefined();
		}
		expect(find(until('2026-12-01'), { time: { end: '2026-12-03' } }, 1)).toBe(true);
	});

	it('is not what was wanted where it can not be understood', () => {
		expect(find(until('2026-12-01'), {}, 0, { time: 'soon' })).toBe(true);
		expect(find(remove, {}, 0, { recipients: 2 })).toBe(true);
	});
});

it('what was not sent and is missing was dropped, but not what is over', () => {
	const before: DrmRules = {
		...{ dynamic: true, downloadable: false, opens: 0, recipients: ['a@x'] },
		...{ geo: { allow: [{ country: 'CH' }] }, time: { start: '2020-01-01', end: '2099-01-01' } },
	};
	const after = shown({ dynamic: true, opens: 1 });

	const find = (rules: DrmRules) =>
		findDifference({ patch: { opens: 1 } }, rules, after, '2026-11-21');
	expect(find(before)).toEqual({
		isWider: true,
		text: 'the rules without geo, time, downloadable, recipients',
		dropped: {
			...{ recipients: ['a@x'], downloadable: false, geo: before.geo },
			time: { end: '2099-01-01' },
		},
	});
	expect(find({ time: { start: '2020-01-01' } })).toBeUndefined();
});
