import { findDifference } from '../../../../../nodes/EncryptedContainers/resources/drm/differences';
import type { RulesChange } from '../../../../../nodes/EncryptedContainers/resources/drm/ruleChanges';
import type { DrmRules } from '../../../../../nodes/shared/api/shownRules';

const shown = (rules: DrmRules, tolerance: 0 | 1 = 0, unclear = {}) => ({
	...{ rules, unclear, tolerance, record: {} },
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
