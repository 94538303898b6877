import { matchesNameFilter } from '../../../nodes/EncryptedContainersTrigger/nameFilter';

describe('the name filter', () => {
	it.each([
		['nothing', '', 'Anything'],
		['a part of the name', 'voice', 'Invoice 42'],
		['other upper and lower case', 'INVOICE', 'invoice 42'],
		['a beginning', 'contract*', 'Contract with Anna'],
		['an end', '*.pdf', 'Report.PDF'],
		['both', 'a*z', 'A to Z'],
		['a middle', '*with*', 'Contract with Anna'],
		['several parts in order', 'c*w*a*', 'Contract with Anna'],
		['a star alone', '*', 'Anything'],
		['a star for nothing', 'Invoice*', 'Invoice'],
		['characters of patterns, as they are', 'a.c (1)', 'a.c (1)'],
		['umlauts', 'ÜBER*', 'Übersicht'],
	])('lets a name through by %s', (_what, filter, name) => {
		expect(matchesNameFilter(name, filter)).toBe(true);
	});

	it.each([
		['another name', 'offer', 'Invoice 42'],
		['a beginning further on', 'voice*', 'Invoice'],
		['an end further up', '*in', 'Invoice'],
		['parts in another order', '*anna*contract*', 'Contract with Anna'],
		['one part for two', 'aba*ba', 'aba'],
		['a point for any character', 'a.c', 'abc'],
		['no name', 'x', undefined],
	])('keeps back %s', (_what, filter, name) => {
		expect(matchesNameFilter(name, filter)).toBe(false);
	});

	it('takes no longer for a filter of many stars', () => {
		const name = 'a'.repeat(20_000);
		const startedAt = Date.now();

		expect(matchesNameFilter(name, `${'*a'.repeat(5_000)}b`)).toBe(false);

		expect(Date.now() - startedAt).toBeLessThan(500);
	});
});
