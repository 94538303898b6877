import { isSameRule, parseRule, toCanonicalRule } from '../../../../nodes/shared/api/ruleValues';

describe('values of a rule', () => {
	it.each<[string, unknown, unknown]>([
		['another order', ['a@x', 'b@x'], ['b@x', 'a@x']],
		['another form of an address', ['Anna <A@münchen.de>'], [' a@xn--mnchen-3ya.de']],
		['doubles', ['a@x', 'a@x'], ['a@x']],
		['capitals and spaces', [{ country: 'CH', city: null }], [{ country: 'ch ' }]],
		['empty lists', { allow: [], block: ['x'] }, { block: ['x'] }],
		['null', { allow: null }, {}],
		['nothing at all', undefined, { start: '', end: null }],
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

	it('have a text that is the same for the same meaning', () => {
		expect(toCanonicalRule({ b: [' X', 'x'], a: null })).toBe('{"b":["x"]}');
		expect(toCanonicalRule(['STRASSE'])).not.toBe(toCanonicalRule(['straße']));
		expect(toCanonicalRule([])).toBe('');
	});
});

describe('a rule in an obvious form', () => {
	it.each<[string, unknown, unknown]>([
		['opens', 3, 3],
		['opens', '12', 12],
		['opens', '1.0', undefined],
		['opens', '9007199254740993', undefined],
		['opens', '', undefined],
		['dynamic', '1', true],
		['dynamic', 'False', false],
		['downloadable', 0, false],
		['downloadable', 'maybe', undefined],
		['geo', { allow: [] }, { allow: [] }],
		['geo', [], {}],
		['geo', '', {}],
		['ip', ['192.0.2.1'], undefined],
		['time', { end: '2026-12-31' }, { end: '2026-12-31' }],
		['time', 'always', undefined],
		['recipients', ['a@x', ' B@x '], ['a@x', 'B@x']],
		['recipients', 'a@x b@x;c@x,', ['a@x', 'b@x', 'c@x']],
		['recipients', '', []],
		['recipients', 'a@x, all', undefined],
		['recipients', ['Ada <a@x> ', '"B, C" <b@x>', 'MAILTO: c@x'], ['a@x', 'b@x', 'c@x']],
		['recipients', [{ email: 'a@x', mail: 'A@X', name: 'A' }], ['a@x']],
		['recipients', [{ mail: 'a@x', address: 'Main Street 1' }], ['a@x']],
		['recipients', [{ email: 'a@x', mail: 'b@x' }], undefined],
		['recipients', [{ name: 'A' }], undefined],
		['recipients', ['a@x', null, ''], ['a@x']],
		['recipients', [' '], undefined],
		['recipients', 2, undefined],
	])('is parsed: %s %j', (key, value, expected) => {
		expect(parseRule(key, value)).toEqual(expected);
	});
});
