import { matchesWildcards } from '../../../../nodes/shared/parameters/wildcards';

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
