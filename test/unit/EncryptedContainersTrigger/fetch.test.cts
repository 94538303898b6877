import { matchesNameFilter } from '../../../nodes/EncryptedContainersTrigger/fetch';

describe('the name filter', () => {
	it.each([
		['nothing', '', 'Anything'],
		['a part of the name', 'voice', 'Invoice 42'],
		['other upper and lower case', 'INVOICE', 'invoice 42'],
		['a prefix', 'contract*', 'Contract with Anna'],
		['a suffix', '*.pdf', 'Report.PDF'],
		['both', 'a*z', 'A to Z'],
		['the middle', '*with*', 'Contract with Anna'],
		['several parts in order', 'c*w*a*', 'Contract with Anna'],
		['only a star', '*', 'Anything'],
		['a star that matches nothing', 'Invoice*', 'Invoice'],
		['special characters of regular expressions, literally', 'a.c (1)', 'a.c (1)'],
		['umlauts', 'ÜBER*', 'Übersicht'],
	])('accepts a name by %s', (_what, filter, name) => {
		expect(matchesNameFilter(name, filter)).toBe(true);
	});

	it.each([
		['another name', 'offer', 'Invoice 42'],
		['a prefix that comes later', 'voice*', 'Invoice'],
		['a suffix that comes earlier', '*in', 'Invoice'],
		['parts in another order', '*anna*contract*', 'Contract with Anna'],
		['one part in place of two', 'aba*ba', 'aba'],
		['a dot in place of any character', 'a.c', 'abc'],
		['no name', 'e', undefined],
	])('rejects %s', (_what, filter, name) => {
		expect(matchesNameFilter(name, filter)).toBe(false);
	});

	it('stays fast with many stars', () => {
		const name = 'a'.repeat(20_000);
		const startedAt = Date.now();

		expect(matchesNameFilter(name, `${'*a'.repeat(5_000)}b`)).toBe(false);

		expect(Date.now() - startedAt).toBeLessThan(5_000);
	});
});
