import { matchesName } from '../../../../nodes/shared/api/records';
import {
	covers,
	createMatcher,
	isForEverybody,
	isWildcard,
	omitRepeated,
	overlaps,
	toAddressKey,
} from '../../../../nodes/shared/parameters/addresses';

it.each([
	['anna@münchen.de', ' Anna@MÜNCHEN.de '],
	['anna@münchen.de', 'ANNA@XN--MNCHEN-3YA.DE.'],
	['anna@münchen.de', 'Anna Berg <anna@mu\u0308nchen。de>'],
	['andré@x.example', 'andre\u0301@x.example'],
	['anna@x.example', 'mailto:\u200banna@x.example\u2060'],
	['*@*.münchen.de', '＊@*.xn--mnchen-3ya.de'],
])('the key of an address is the same for %s and %s', (one, other) => {
	expect(toAddressKey(one)).toBe(toAddressKey(other));
});

it.each([
	['anna@x.example', 'anna+tag@x.example'],
	['anna@1.2', 'anna@1.0.0.2'],
	['anna@münchen.de', 'anna@munchen.de'],
	['a@b@x.example', 'b@x.example'],
	['anna@a/b', 'anna@a'],
])('the key of an address differs for %s and %s', (one, other) => {
	expect(toAddressKey(one)).not.toBe(toAddressKey(other));
});

it.each([
	...['*', '*@*', '**@*', '*@*.*', '＊@＊', ' *@* ', '*.*@*', '<*@*>', '*\u200b@*'].map(
		(address): [string, boolean] => [address, true],
	),
	...['*@x.example', 'anna@*', '*@*.example', 'anna@x.example', ''].map(
		(address): [string, boolean] => [address, false],
	),
])('%s stands for everybody: %s', (address, isEverybody) => {
	expect(isForEverybody(address)).toBe(isEverybody);
	if (!isEverybody) expect(isWildcard(address)).toBe(address.includes('*'));
});

/** Whether the first covers the second, and whether there is an address that both cover. */
it.each<[string, string, boolean, boolean]>([
	['*@x.example', 'Anna@X.example', true, true],
	['*@x.example', 'a*@x.example', true, true],
	['*@*.x.example', '*@a.x.example', true, true],
	['*@münchen.de', 'anna@xn--mnchen-3ya.de', true, true],
	['*@x.example', 'anna@a.x.example', false, false],
	['*@*.x.example', 'anna@x.example', false, false],
	['a*@x.example', '*@x.example', false, true],
	['anna@*', '*@x.example', false, true],
	['an@*.example', 'a*b@x.example', false, false],
	['anna@x.example', 'anna@x.example', true, true],
])('%s and %s: covered %s, overlap %s', (one, other, isCovered, hasOverlap) => {
	expect(covers([one])(other)).toBe(isCovered);
	expect(overlaps(one, other)).toBe(hasOverlap);
	expect(overlaps(other, one)).toBe(hasOverlap);
});

it.each<[string, string, boolean]>([
	['', '*', true],
	['axbxc', 'a*b*c', true],
	['abab', '*ab*ab', true],
	['aba', 'ab*ba', false],
	['ab', 'a*b*b', false],
])('%j matches the pattern %j: %s', (text, pattern, matches) => {
	expect(createMatcher(pattern)(text)).toBe(matches);
});

it.each<[string | undefined, string, boolean]>([
	[undefined, '', true],
	['Invoice 42', ' VOICE ', true],
	['My contract with Anna, signed', 'contract*anna', true],
	['Offer \u{1f600}! 2026-11', 'offer ?! ????-', true],
	['U\u0308bersicht.PDF', '\u00fcbersicht*.pdf', true],
	['What? [a.c] (1)', '[A.C] (1', true],
	['Invoice 42', 'invoice ???', false],
	['Contract with Anna', 'anna*contract', false],
	['aba', 'aba*ba', false],
	['abc', 'a.c', false],
	[undefined, '?', false],
])('the name %j contains %j: %s', (name, part, contains) => {
	expect(matchesName(name, part)).toBe(contains);
});

it('of several forms of an address, the first is kept', () => {
	const forms = ['Anna@x.example', 'bob@x.example', 'anna@X.example', 'bob@x.example'];
	expect(omitRepeated(forms)).toEqual(['Anna@x.example', 'bob@x.example']);
});
