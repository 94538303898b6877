import { isSameRule, normalizeWindow } from '../../../../nodes/shared/api/ruleValues';

describe('values of a rule', () => {
	it.each<[string, unknown, unknown]>([
		['another order', ['a@x', 'b@x'], ['b@x', 'a@x']],
		['capitals', ['A@x'], ['a@X']],
		['doubles', ['a@x', 'a@x'], ['a@x']],
		['spaces', ['a@x '], ['a@x']],
		['empty lists', { allow: [], block: ['x'] }, { block: ['x'] }],
		['null', { allow: null }, {}],
		['nothing at all', undefined, { start: '', end: null }],
		['another order of keys', [{ country: 'CH', city: null }], [{ country: 'ch' }]],
	])('mean the same: %s', (_what, a, b) => {
		expect(isSameRule(a, b)).toBe(true);
		expect(isSameRule(b, a)).toBe(true);
	});

	it.each<[string, unknown, unknown]>([
		['a number and its text', 3, '3'],
		['false and nothing', false, undefined],
		['zero and nothing', 0, null],
		['a list and its entry', ['a'], 'a'],
		['lists of another depth', [['a'], 'b'], ['a', 'b']],
		['one more entry', ['a', 'b'], ['a']],
		['another key', { allow: ['a'] }, { block: ['a'] }],
	])('differ: %s', (_what, a, b) => {
		expect(isSameRule(a, b)).toBe(false);
		expect(isSameRule(b, a)).toBe(false);
	});
});

describe('the days of a window', () => {
	it.each<[string, unknown, object]>([
		['no window', undefined, {}],
		['an empty list', [], {}],
		['days that are not set', { start: null, end: '' }, {}],
		[
			'a day and a timestamp',
			{ start: '2026-01-01', end: '2026-12-31T08:00:00Z' },
			{
				start: '2026-01-01',
				end: '2026-12-31T08:00:00Z',
			},
		],
		['seconds', { end: 1_798_675_200 }, { end: '2026-12-31' }],
		['a list', { start: [2026, 1, 1] }, { start: '2026-01-01' }],
		['digits', { start: '20260101' }, { start: '2026-01-01' }],
		['what cannot be read', { end: '12/31/2099' }, { end: '12/31/2099' }],
	])('are sent as text: %s', (_what, time, days) => {
		expect(normalizeWindow(time)).toEqual(days);
	});
});
