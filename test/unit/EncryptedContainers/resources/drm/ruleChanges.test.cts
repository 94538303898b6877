import type { DrmRules } from '../../../../../nodes/shared/api/drmRules';
import { addDays, getLastDayOverEverywhere } from '../../../../../nodes/shared/parameters/dates';
import {
	endAccess,
	findDifference,
	listDropped,
	toWindow,
	type RulesChange,
} from '../../../../../nodes/EncryptedContainers/resources/drm/ruleChanges';
import {
	changeRecipients,
	extendEnd,
} from '../../../../../nodes/EncryptedContainers/resources/drm/updatePatch';

const CONTAINER = 'the container "c-1"';

describe('an extended window', () => {
	const extend = (end?: string) => extendEnd({ time: { end } }, 7, '2026-11-21');

	it.each([
		['a later day', '2026-12-28', '2027-01-04'],
		['today', '2026-11-21', '2026-11-28'],
		['a day that is over', '2020-01-01', '2026-11-28'],
	])('ends later than %s', (_what, end, expected) => {
		expect(extend(end)).toBe(expected);
	});

	it.each([undefined, '9000-01-01', '9999-12-31'])(
		'has no end before and afterwards: %j',
		(end) => {
			expect(extend(end)).toBeUndefined();
		},
	);
});

describe('changed recipients', () => {
	const change = (current: string[], add: string[], remove: string[]) =>
		changeRecipients(current, { add, remove }, CONTAINER);

	it.each<[string, string[], string[], string[], string[]]>([
		['added at the end', ['a@x', 'b@x'], ['c@x'], [], ['a@x', 'b@x', 'c@x']],
		['not added twice', ['a@x', 'b@x'], ['A@X', 'Bob <b@x>'], [], ['a@x', 'b@x']],
		['added where there are none', [], ['a@x'], [], ['a@x']],
		['removed, in other capitals', ['a@x', 'b@x'], [], ['B@X'], ['a@x']],
		['removed, in all their forms', ['a@x', ' A@x ', 'b@x'], [], ['a@x'], ['b@x']],
		['removed, as xn--', ['a@münchen.de', 'b@x'], [], ['a@xn--mnchen-3ya.de'], ['b@x']],
		['removed, in Unicode', ['a@xn--mnchen-3ya.de', 'b@x'], [], ['a@münchen.de'], ['b@x']],
		['removed, in NFD', ['andré@x', 'b@x'], [], ['andre\u0301@x'], ['b@x']],
		['unchanged when the removed one does not exist', ['a@x'], [], ['z@x'], ['a@x']],
		['replaced one by one', ['a@x', 'b@x'], ['c@x'], ['a@x'], ['b@x', 'c@x']],
		['all replaced', ['a@x', 'b@x'], ['c@x'], ['a@x', 'b@x'], ['c@x']],
		['removed by a wildcard', ['anna@x', 'bob@x', 'c@y'], [], ['*@x'], ['c@y']],
		['removed with their wildcard', ['*@x', 'anna@X', 'b*@x', 'c@y'], [], ['*@x'], ['c@y']],
		['kept from a removed wildcard by name', ['*@x', 'a@x', 'b@x'], ['a@x'], ['*@x'], ['a@x']],
		['kept where a wildcard covers others', ['*@z.x', 'a@x'], [], ['*@x'], ['*@z.x']],
	])('are %s', (_how, current, add, remove, expected) => {
		expect(change(current, add, remove)).toEqual(expected);
	});

	it.each<[string[], string[], string[], string]>([
		[['a@x.example', '*@X.example'], [], ['A@x.example'], '*@X.example'],
		[['*@münchen.de'], [], ['a@xn--mnchen-3ya.de'], '*@münchen.de'],
		[['a@x.example'], ['*@x.example'], ['a@x.example'], '*@x.example'],
		[['*@x.example', '*@*'], [], ['*@x.example'], '*@*'],
		[['anna@*', 'b@y.example'], [], ['*@x.example'], 'anna@*'],
	])('of %j are rejected with %j, without %j, for %s', (current, add, remove, wildcard) => {
		expect(() => change(current, add, remove)).toThrow(
			expect.objectContaining({
				message: `"${remove[0]}" would still have access through the recipient "${wildcard}"`,
				description: `Nothing was changed. Enter "${wildcard}" in "Recipients: Remove" too, and everyone who keeps access in "Recipients: Add"; or set all with "Recipients: Replace All". It is a recipient of the container "c-1".`,
			}),
		);
	});

	const all = '"Recipients: Remove" would remove all recipients';

	it.each<[string[], string[], string]>([
		[['a@x'], ['A@x'], `${all} of the container "c-1"`],
		[['a@x', 'b@x'], ['*@x'], `${all} of the container "c-1"`],
		[[], ['a@x'], `${all} of the container "c-1"`],
	])('are rejected when none would remain: %j', (current, remove, message) => {
		expect(() => change(current, [], remove)).toThrow(
			expect.objectContaining({
				message,
				description: expect.stringMatching(/^Nothing was changed\..*Revoke Access/),
			}),
		);
	});
});

describe('ending access', () => {
	const last = getLastDayOverEverywhere();
	const shown = (time: DrmRules['time'], tolerance: 0 | 1) => {
		return { rules: { time }, unclear: {}, tolerance, record: {} };
	};

	it.each<[string | undefined, 0 | 1, string | undefined]>([
		[undefined, 0, last],
		['2099-12-31', 0, last],
		[addDays(last, 1), 0, last],
		[last, 0, undefined],
		['2020-01-01', 0, undefined],
		// The day of a moment can be the one before.
		[last, 1, addDays(last, -1)],
		[addDays(last, -1), 1, undefined],
		['9999-12-31', 1, addDays(last, -1)],
	])('that ends on %s, off by %s days, sends %s', (end, tolerance, sent) => {
		const { patch } = endAccess(shown({ start: '2019-01-01', end }, tolerance));
		expect(patch).toEqual(sent && { time: { end: sent } });
	});
});

it.each<[DrmRules['time'] & object, unknown]>([
	[{ start: '2026-11-20', end: '2026-12-31' }, { end: '2026-12-31' }],
	[
		{ start: '2026-11-21', end: '2026-12-31' },
		{ start: '2026-11-21', end: '2026-12-31' },
	],
	[{ start: '2026-11-20' }, null],
	[{}, null],
])('the window %j is sent as %j', (window, sent) => {
	expect(toWindow(window, '2026-11-21')).toEqual(sent);
});

describe('what a service shows after a change', () => {
	const before: DrmRules = { recipients: ['a@x', 'b@x'], time: { end: '2026-12-31' } };
	const find = (change: RulesChange, rules: DrmRules, unclear = {}, tolerance: 0 | 1 = 0) =>
		findDifference(change, before, { rules, unclear, tolerance, record: {} })?.isWider;
	const remove: RulesChange = { patch: { recipients: ['a@x'] } };
	const replace: RulesChange = { patch: { recipients: ['c@x'] }, isReplacement: true };
	const until = (end: string) => ({ patch: { time: { end } } });

	it.each<[string, RulesChange, DrmRules]>([
		['the recipients, in another form', remove, { recipients: ['A@X'] }],
		['the owner, too', remove, { recipients: ['owner@x', 'a@x'] }],
		['somebody who always stays', replace, { recipients: ['a@x', 'c@x'] }],
		['the end', until('2026-12-01'), { time: { end: '2026-12-01' } }],
		['no end', { patch: { time: null } }, {}],
		['a day that stands for no end', { patch: { time: null } }, { time: { end: '9999-12-31' } }],
		['no download', { patch: { downloadable: false } }, {}],
		['another number of opens', { patch: { opens: 5 } }, { opens: 4 }],
	])('is what was wanted: %s', (_what, change, rules) => {
		expect(find(change, rules)).toBeUndefined();
	});

	it.each<[string, RulesChange, DrmRules]>([
		['somebody who was removed', remove, { recipients: ['a@x', 'b@x'] }],
		['the recipients of before', replace, { recipients: ['b@x', 'a@x'] }],
		['a later end', until('2026-12-01'), { time: { end: '2026-12-31' } }],
		['no end', until('2026-12-01'), {}],
		[
			'download beside recipients who do not show yet',
			{ patch: { recipients: ['a@x', 'c@x'], downloadable: false } },
			{ recipients: ['a@x'], downloadable: true },
		],
		['download', { patch: { downloadable: false } }, { downloadable: true }],
	])('is more access than wanted: %s', (_what, change, rules) => {
		expect(find(change, rules)).toBe(true);
	});

	it.each<[string, RulesChange, DrmRules]>([
		['not who was added', { patch: { recipients: ['a@x', 'b@x', 'c@x'] } }, before],
		['an earlier end', until('2027-12-01'), before],
		['no download', { patch: { downloadable: true } }, before],
	])('is less access than wanted: %s', (_what, change, rules) => {
		expect(find(change, rules)).toBe(false);
	});

	it('can be the day before and after, where it shows moments', () => {
		for (const end of ['2026-11-30', '2026-12-02']) {
			expect(find(until('2026-12-01'), { time: { end } }, {}, 1)).toBeUndefined();
		}
		expect(find(until('2026-12-01'), { time: { end: '2026-12-03' } }, {}, 1)).toBe(true);
	});

	it('is not what was wanted where it can not be understood', () => {
		expect(find(until('2026-12-01'), {}, { time: 'soon' })).toBe(true);
		expect(find(remove, {}, { recipients: 2 })).toBe(true);
	});
});

it('what was not sent and is missing was dropped, but not what is over or off', () => {
	const before: DrmRules = {
		...{ dynamic: true, downloadable: false, opens: 0, recipients: ['a@x'] },
		...{ geo: { allow: [{ country: 'CH' }] }, time: { start: '2020-01-01', end: '2099-01-01' } },
	};
	const after = {
		rules: { dynamic: true, opens: 1 },
		unclear: {},
		tolerance: 0,
		record: {},
	} as const;

	expect(listDropped(before, { opens: 1 }, after, '2026-11-21')).toEqual({
		...{ recipients: ['a@x'], geo: before.geo, time: { end: '2099-01-01' } },
	});
	expect(listDropped({ time: { start: '2020-01-01' } }, {}, after, '2026-11-21')).toEqual({});
});
