import { matchesName, matchesWildcards } from '../../../../nodes/shared/parameters/wildcards';

describe('a pattern', () => {
	it.each([
		['a@x.example', '*@x.example'],
		['a@x.example', '*@*'],
		['a@x.example', '*'],
		['anna.b@x.example', 'anna*@x.*'],
		['*@x.example', '*@*.example'],
		['a@x.example', 'a@x.example'],
		['', '*'],
		['ab', 'a*b'],
		['a', 'a*'],
		['axbxc', 'a*b*c'],
		['abab', '*ab*ab'],
		['abc', '*a*b*'],
	])('matches %s: %s', (text, pattern) => {
		expect(matchesWildcards(text, pattern)).toBe(true);
	});

	it.each([
		['a@y.example', '*@x.example'],
		['a@x.example.org', '*@x.example'],
		['a@sub.x.example', '*@x.example'],
		['aba', 'ab*ba'],
		['a@x.example', 'b@x.example'],
		['a', 'a*a'],
		['ba', 'a*'],
		['axc', 'a*b*c'],
		['ab', 'a*b*b'],
		['ab', '*ab*ab'],
		['bab', '*ab*b*'],
	])('does not match %s: %s', (text, pattern) => {
		expect(matchesWildcards(text, pattern)).toBe(false);
	});

	it('takes little time, whatever it is', () => {
		const start = performance.now();
		expect(matchesWildcards('a'.repeat(50_000), `${'a*'.repeat(25_000)}b`)).toBe(false);
		expect(performance.now() - start).toBeLessThan(5_000);
	});
});

describe('a name', () => {
	it.each([
		['Anything', ''],
		['Anything', ' * '],
		[undefined, ''],
		['Invoice 42', 'VOICE'],
		['Contract with Anna', 'c*anna'],
		['My contract with Anna, signed', 'contract*anna'],
		['Invoice 2026-11', 'invoice ????-'],
		['Offer \u{1f600}!', 'offer ?!'],
		['\u00dcbersicht.PDF', 'u\u0308bersicht'],
		['U\u0308bersicht.PDF', '\u00fcbersicht*.pdf'],
		['What? [a.c] (1)', '[A.C] (1'],
	])('contains a text: %s, %s', (name, part) => {
		expect(matchesName(name, part)).toBe(true);
	});

	it.each([
		['Invoice 42', 'offer'],
		['Invoice 42', 'invoice ???'],
		['Contract with Anna', 'anna*contract'],
		['aba', 'aba*ba'],
		['abc', 'a.c'],
		['Line\nbreak', 'line break'],
		[undefined, '?'],
	])('does not contain a text: %s, %s', (name, part) => {
		expect(matchesName(name, part)).toBe(false);
	});

	it.each([['*a'.repeat(500)], ['a?'.repeat(500)], ['?'.repeat(999)], ['a*?'.repeat(333)]])(
		'takes little time, whatever the text is',
		(part) => {
			const start = performance.now();
			for (let count = 0; count < 100; count += 1) {
				expect(matchesName('a'.repeat(10_000), `${part}b`)).toBe(false);
			}
			expect(performance.now() - start).toBeLessThan(5_000);
		},
	);
});
