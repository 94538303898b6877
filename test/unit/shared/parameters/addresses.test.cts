import {
	coversAddress,
	isForEverybody,
	isWildcard,
	overlaps,
	toAddressKey,
} from '../../../../nodes/shared/parameters/addresses';

describe('the key of an address', () => {
	it.each<[string, string]>([
		['anna@münchen.de', ' Anna@MÜNCHEN.de '],
		['anna@münchen.de', 'anna@xn--mnchen-3ya.de'],
		['anna@münchen.de', 'ANNA@XN--MNCHEN-3YA.DE.'],
		['anna@münchen.de', 'anna@mu\u0308nchen.de'],
		['anna@münchen.de', 'Anna Berg <anna@münchen。de>'],
		['andré@x.example', 'andre\u0301@x.example'],
		['anna@x.example', 'mailto:anna@x.example'],
		['anna@x.example', '\u200banna@x.example\u2060'],
		['*@x.example', '＊@x.example'],
		['*@*.münchen.de', '*@*.xn--mnchen-3ya.de'],
		['*', '＊'],
	])('is the same for %s and %s', (one, other) => {
		expect(toAddressKey(one)).toBe(toAddressKey(other));
	});

	it.each<[string, string]>([
		['anna@x.example', 'anna+tag@x.example'],
		['anna@x.example', 'anna@y.example'],
		['anna@1.2', 'anna@1.0.0.2'],
		['anna@münchen.de', 'anna@munchen.de'],
		['a@b@x.example', 'b@x.example'],
		['anna@a/b', 'anna@a'],
	])('differs for %s and %s', (one, other) => {
		expect(toAddressKey(one)).not.toBe(toAddressKey(other));
	});
});

it.each(['*', '*@*', '**@*', '*@*.*', '＊@＊', ' *@* ', '*.*@*', '<*@*>', '*\u200b@*'])(
	'%s stands for everybody',
	(address) => {
		expect(isForEverybody(address)).toBe(true);
	},
);

it.each(['*@x.example', 'anna@*', '*@*.example', 'anna@x.example', '@', ''])(
	'%s does not stand for everybody',
	(address) => {
		expect(isForEverybody(address)).toBe(false);
		expect(isWildcard(address)).toBe(address.includes('*'));
	},
);

/** Whether the first covers the second, and whether there is an address that both cover. */
it.each<[string, string, boolean, boolean]>([
	['*@x.example', 'Anna@X.example', true, true],
	['*@x.example', '*@x.example', true, true],
	['*@x.example', 'a*@x.example', true, true],
	['*@*.x.example', '*@a.x.example', true, true],
	['*@*', '*@x.example', true, true],
	['*@münchen.de', 'anna@xn--mnchen-3ya.de', true, true],
	['*@*ünchen.de', 'anna@münchen.de', true, true],
	['*@x.example', 'anna@a.x.example', false, false],
	['*@*.x.example', 'anna@x.example', false, false],
	['a*@x.example', '*@x.example', false, true],
	['anna@*', '*@x.example', false, true],
	['an@*.example', 'a*b@x.example', false, false],
	['a*@x.example', 'b*@x.example', false, false],
	['*a@x.example', 'b*@x.example', false, true],
	['a*c@x.example', 'ab*@x.example', false, true],
	['anna@x.example', 'anna@x.example', true, true],
	['anna@x.example', '*@x.example', false, true],
])('%s and %s: covered %s, overlap %s', (one, other, isCovered, hasOverlap) => {
	expect(coversAddress(one, other)).toBe(isCovered);
	expect(overlaps(one, other)).toBe(hasOverlap);
	expect(overlaps(other, one)).toBe(hasOverlap);
});
