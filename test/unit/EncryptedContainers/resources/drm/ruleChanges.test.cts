import fc from 'fast-check';
import type { DrmRules } from '../../../../../nodes/shared/api/drmRules';
import { addDays, getLastDayOverEverywhere } from '../../../../../nodes/shared/parameters/dates';
import { rowsOf } from '../../../../support/texts.cts';
import {
	changeRecipients,
	endAccess,
	endWindow,
	extendEnd,
	findFixed,
	hasEnded,
	mergeRules,
} from '../../../../../nodes/EncryptedContainers/resources/drm/ruleChanges';
import { always } from '../../../support/seeded.cts';

const present = (): DrmRules => ({
	...{ dynamic: true, downloadable: false, opens: 5, ip: { allow: ['192.0.2.1'] } },
	geo: { allow: [{ country: 'CH' }], block: [{ country: 'KP' }] },
	time: { start: '2026-01-01', end: '2026-12-31' },
	recipients: ['anna@example.com', 'bob@example.com'],
});

const none = { add: [], remove: [] };
const CONTAINER = 'the container "c-1"';

describe('merged rules', () => {
	const changes = rowsOf<[change: DrmRules, changed: DrmRules]>(`
		a number: [{ opens: 1 }, { opens: 1 }]
		a switch: [{ downloadable: true }, { downloadable: true }]
		an end, and keep the start: [{ time: { end: 2027-06-30 } }, { time: { start: 2026-01-01, end: 2027-06-30 } }]
		a start, and keep the end: [{ time: { start: 2026-06-30 } }, { time: { start: 2026-06-30, end: 2026-12-31 } }]
		one list of countries, and keep the other: [{ geo: { allow: [{ country: DE }] } }, { geo: { allow: [{ country: DE }], block: [{ country: KP }] } }]
		a list that did not exist: [{ ip: { block: [198.51.100.0/24] } }, { ip: { allow: [192.0.2.1], block: [198.51.100.0/24] } }]
		recipients, replacing all: [{ recipients: [carl@example.com] }, { recipients: [carl@example.com] }]
		a rule that is cleared: [{ geo: {}, ip: {} }, { geo: {}, ip: {} }]
		rules that are null in JSON: [{ geo: null, time: null }, { geo: null, time: null }]
	`);

	it.each(changes)('change %s, and nothing else', (_what, [change, changed]) => {
		expect(mergeRules(present(), change, none, CONTAINER)).toEqual({ ...present(), ...changed });
	});

	it('leave the current rules unmodified', () => {
		const before = present();
		const change = { time: { end: '2027-01-01' } };
		mergeRules(before, change, { add: ['x@example.com'], remove: ['bob@example.com'] }, CONTAINER);
		expect(before).toEqual(present());
		expect(change).toEqual({ time: { end: '2027-01-01' } });
	});

	const reports = rowsOf<[reported: DrmRules, change: DrmRules, merged: DrmRules]>(`
		can end on the day they start: [{ time: { start: "2026-01-01T00:00:00.000Z" } }, { time: { end: 2026-01-01 } }, { time: { start: "2026-01-01T00:00:00.000Z", end: 2026-01-01 } }]
		can start from no rules: [{}, { opens: 1, time: { end: 2026-01-01 } }, { opens: 1, time: { end: 2026-01-01 } }]
		keep what they do not change as it came: [{ opens: "", geo: "", recipients: "" }, { dynamic: true }, { opens: "", geo: "", recipients: "", dynamic: true }]
		keep a day as it came: [{ time: { end: 1798416000 } }, { time: { start: 2026-12-01 } }, { time: { start: 2026-12-01, end: 1798416000 } }]
		treat a day that is null as not set: [{ time: { start: null, end: null } }, { time: { end: 2026-12-31 } }, { time: { end: 2026-12-31 } }]
	`);

	it.each(reports)('%s', (_what, [reported, change, merged]) => {
		expect(mergeRules(reported, change, none, CONTAINER)).toEqual(merged);
	});

	it('can have the first recipients', () => {
		const added = { add: ['a@x.example'], remove: [] };
		expect(mergeRules({}, {}, added, CONTAINER)).toEqual({ recipients: added.add });
	});
});

describe('an extended window', () => {
	const extend = (end: unknown) =>
		extendEnd({ time: { end } } as DrmRules, 7, '2026-11-21', CONTAINER);

	it.each<[string, unknown, string]>([
		['a later day', '2026-12-28', '2027-01-04'],
		['today', '2026-11-21', '2026-11-28'],
		['a day that is over', '2020-01-01', '2026-11-28'],
		['a moment, as shown', '2026-12-28T23:00:00+01:00', '2027-01-04'],
		['seconds', 1_798_416_000, '2027-01-04'],
	])('ends later than %s', (_what, end, expected) => {
		expect(extend(end)).toBe(expected);
	});

	it.each([undefined, null, '', '0001-01-01T00:00:00Z', 0, '9000-01-01', '9999-12-31'])(
		'has no end before and afterwards: %j',
		(end) => {
			expect(extend(end)).toBeUndefined();
		},
	);

	it.each([
		['12/31/2099', '"12/31/2099"'],
		[{}, '{}'],
		['x'.repeat(200), `"${'x'.repeat(99)}`],
	])('is rejected where the end is no date: %j', (end, shown) => {
		expect(() => extend(end)).toThrow(
			expect.objectContaining({
				message: 'The current end of the container "c-1" is not a date that can be read',
				description: `The service shows ${shown}. Set the new end with "Available Until" instead of "Days to Extend Access".`,
			}),
		);
	});
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
		[['*', 'a@x.example'], [], ['a@x.example'], '*'],
		[['x.example', 'a@x.example'], [], ['a@x.example'], 'x.example'],
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
		[['a@x'], ['A@x'], 'a@x is the only recipient of the container "c-1"'],
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

describe('ending the window', () => {
	const day = '2026-11-20';

	const windows = rowsOf<[time: unknown, ended: object]>(`
		nothing: [null, { end: ${day} }]
		null: [{ start: null, end: null }, { end: ${day} }]
		an end: [{ end: 2026-12-31 }, { end: ${day} }]
		words: ["never", { end: ${day} }]
		a past start: [{ start: 2026-01-01, end: 2026-12-31 }, { start: 2026-01-01, end: ${day} }]
		a start on the day: [{ start: ${day} }, { start: ${day}, end: ${day} }]
		a later start: [{ start: 2026-12-01, end: 2026-12-31 }, { start: ${day}, end: ${day} }]
		a moment on the day: [{ start: "${day}T08:00:00.000Z" }, { start: "${day}T08:00:00.000Z", end: ${day} }]
		a later moment: [{ start: "2026-11-21T00:00:00.000Z" }, { start: ${day}, end: ${day} }]
	`);

	it.each(windows)('replaces %s and keeps every other rule', (_what, [time, ended]) => {
		const rules = { ...present(), time } as DrmRules;
		expect(endWindow(rules, day)).toEqual({ ...present(), time: ended });
		expect(rules.time).toBe(time);
	});

	it.each([
		...[day, '2026-11-19', `${day}T23:59:59.000Z`, Date.parse(day), Date.parse(day) / 1000],
	])('has ended with the end %j', (end) => {
		expect(hasEnded({ time: { end } } as DrmRules, day)).toBe(true);
	});

	it.each([
		...[{ end: '2026-11-21' }, { end: '01/01/2020' }, { end: 'never' }, { end: null }],
		...[{ start: '2026-01-01' }, 'never', undefined],
	])('has not ended with the window %j', (time) => {
		expect(hasEnded({ time } as DrmRules, day)).toBe(false);
	});

	it('has ended at a moment that is over, but not at one that can stand for its day', () => {
		const minute = Math.floor(Date.now() / 60_000) * 60_000;
		const ends = [minute - 1, minute - 60_000, minute + 119_999].flatMap((moment) => [
			...[moment, String(moment / 1000), new Date(moment).toISOString()],
			new Date(moment).toISOString().replace('Z', '+00:00'),
		]);
		const withoutZone = new Date(minute - 1).toISOString().replace('Z', '');
		const ended = [...ends, withoutZone].map((end) =>
			hasEnded({ time: { end } } as DrmRules, '2001-01-01'),
		);
		expect(ended).toEqual([...Array(4).fill(true), ...Array(9).fill(false)]);
	});
});

describe('fixed rules', () => {
	it.each([false, 0, '0', 'False'])('cannot be changed: %j', (dynamic) => {
		expect(findFixed({ dynamic } as DrmRules, '"Invoice" (c-1)')).toMatchObject({
			message:
				'The rules of "Invoice" (c-1) can\'t change: it was encrypted without "Allow Changes Later"',
			description: expect.stringContaining('To end access, delete the container.') as unknown,
		});
	});

	it.each([{ dynamic: true }, {}, { dynamic: '' }])('are not %j', (rules) => {
		expect(findFixed(rules as DrmRules, CONTAINER)).toBeUndefined();
	});
});

it('no change of recipients empties them, keeps a removed one or loses an added one', async () => {
	const address = fc.constantFrom(
		...['anna', 'Anna', 'bob', 'carl', '*'].flatMap((name) => [
			`${name}@x.example`,
			`${name}@y.example`,
		]),
	);
	const addresses = fc.uniqueArray(address, { maxLength: 5 });
	const lower = (list: string[]) => list.map((entry) => entry.toLowerCase());
	await always(
		fc.property(addresses, addresses, addresses, (present, add, remove) => {
			let result: string[];
			try {
				result = lower(changeRecipients(present, { add, remove }, 'it'));
			} catch (error) {
				expect((error as Error).message).toMatch(
					/would remove all recipients|only recipient|through the recipient "\*@/,
				);
				return;
			}
			expect(result.length).toBeGreaterThan(0);
			for (const entry of lower(add)) expect(result).toContain(entry);
			for (const entry of lower(remove)) {
				if (!lower(add).includes(entry)) expect(result).not.toContain(entry);
			}
		}),
		1_000,
	);
});

describe('ending access', () => {
	const last = getLastDayOverEverywhere();

	it.each([
		['2099-12-31', last],
		[`${addDays(last, 2)}T00:00:00Z`, last],
		[`${addDays(last, 1)}T00:00:00Z`, addDays(last, -1)],
		[last, undefined],
		[`${last}T00:00:00Z`, undefined],
	])('that ends on %s sends %s: one that moves', (end, lastDay) => {
		expect(endAccess({ time: { end } })).toEqual(
			lastDay === undefined ? {} : { toSend: { time: { end: lastDay } }, lastDay },
		);
	});
});
