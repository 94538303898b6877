import {
	isSameRule,
	normalizeWindow,
	parseRule,
	toCanonicalRule,
} from '../../../../nodes/shared/api/ruleValues';

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
		['a day after a name', { end: 'until 2026-12-31' }, { end: 'until 2026-12-31' }],
		['.NET with an offset', { end: '/Date(1798675200000-0500)/' }, { end: '2026-12-30' }],
		['.NET', { end: '/Date(1798675200000)/' }, { end: '2026-12-31' }],
		['what cannot be read', { end: '12/31/2099' }, { end: '12/31/2099' }],
	])('are sent as text: %s', (_what, time, days) => {
		expect(normalizeWindow(time)).toEqual(days);
	});
});

describe('a rule in the forms of other languages', () => {
	it.each<[string, unknown, unknown]>([
		['opens', '12', 12],
		['opens', '-1', -1],
		['opens', '1.0', undefined],
		['opens', '0x1', undefined],
		['opens', ['1'], undefined],
		['recipients', 'a@x b@x;c@x,', ['a@x', 'b@x', 'c@x']],
		['recipients', ' a@x,  b@x ', ['a@x', 'b@x']],
		['recipients', '', undefined],
		['recipients', ' , ', undefined],
		['recipients', 'a@x, all', undefined],
		['recipients', { 0: 'a@x', 12: 'b@x' }, ['a@x', 'b@x']],
		['recipients', { 0: 'a@x', b: 'b@x' }, undefined],
		['recipients', { x1: 'a@x' }, undefined],
		['recipients', { '1x': 'a@x' }, undefined],
		['recipients', ['Ada <a@x> '], ['a@x']],
		['recipients', ['<b@x> a@x'], ['<b@x> a@x']],
		['recipients', ['Ada <b> a@x'], ['Ada <b> a@x']],
		['recipients', ['MAILTO: a@x '], ['a@x']],
		['recipients', [' mailto:a@x'], ['a@x']],
		['recipients', ['xmailto:a@x'], ['xmailto:a@x']],
		['recipients', ['x mailto:a@x'], ['x mailto:a@x']],
		['recipients', [{ email: 'a@x', mail: 'A@X' }], ['a@x']],
		['recipients', [' '], undefined],
		['time', { end: '2026-12-31' }, { end: '2026-12-31' }],
		['time', { start: '2026-12-31' }, { start: '2026-12-31' }],
		['time', {}, {}],
		['time', { took: 1 }, undefined],
		['geo', { $id: '2', allow: [] }, undefined],
		['geo', { '': '2' }, { '': '2' }],
	])('is parsed: %s %j', (key, value, expected) => {
		expect(parseRule(key, value)).toEqual(expected);
	});

	it('has a text that is the same for the same meaning', () => {
		expect(toCanonicalRule({ b: [' X', 'x'], a: null })).toBe('{"b":["x"]}');
		expect(toCanonicalRule(['STRASSE'])).not.toBe(toCanonicalRule(['straße']));
		expect(toCanonicalRule([])).toBe('');
	});
});
