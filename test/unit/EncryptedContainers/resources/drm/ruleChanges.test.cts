import {
	changeRecipients,
	endAccess,
	extendEnd,
	toWindow,
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
