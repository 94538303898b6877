import { parseNextLink } from '../../../../nodes/shared/client/links';

const current = 'https://share.example.com/api/v1/users/u/containers?page=1';
const second = 'https://share.example.com/api/v1/users/u/containers?page=2';

describe('the next page of a Link header', () => {
	it.each([
		['an absolute address', `<${second}>; rel="next"`],
		['no quotes', `<${second}>; rel=next`],
		['no blank', `<${second}>;rel="next"`],
		['blanks around the sign', `<${second}> ; rel = "next"`],
		['capitals', `<${second}>; REL="NEXT"`],
		['several relations', `<${second}>; rel="last next"`],
		['a parameter before', `<${second}>; title="more"; rel="next"`],
		['a parameter after', `<${second}>; rel="next"; title="a, b; c"`],
		['other links before', `<https://x.example/>; rel="prev", <${second}>; rel="next"`],
		['other links after', `<${second}>; rel="next", <https://x.example/>; rel="last"`],
		[
			'a title that looks like a relation',
			`<https://x.example/>; title="rel=next", <${second}>; rel="next"`,
		],
		['a path', '</api/v1/users/u/containers?page=2>; rel="next"'],
		['a query', '<?page=2>; rel="next"'],
		['no scheme', '<//share.example.com/api/v1/users/u/containers?page=2>; rel="next"'],
		['a comma in the address', `<${second}&ids=1,2>; rel="next"`, `${second}&ids=1,2`],
	])('is found with %s', (_form, header, expected = second) => {
		expect(parseNextLink(header, current)).toBe(expected);
	});

	it('is found in the second of several headers', () => {
		expect(
			parseNextLink(['<https://x.example/>; rel="prev"', `<${second}>; rel="next"`], current),
		).toBe(second);
	});

	it.each([
		['no header', undefined],
		['an empty header', ''],
		['no next link', '<https://x.example/>; rel="prev"'],
		['a relation that only begins so', `<${second}>; rel="next-archive"`],
		['no relation', `<${second}>`],
		['a title', `<${second}>; title="next"`],
		['another parameter that ends so', `<${second}>; xrel="next"`],
		['an address that is none', '<https://>; rel="next"'],
		['no brackets', `${second}; rel="next"`],
	])('is not there with %s', (_form, header) => {
		expect(parseNextLink(header, current)).toBeUndefined();
	});

	it('is looked for in little time in 16 kB of anything, the most that a header may hold', () => {
		const startedAt = Date.now();
		for (const hostile of [
			'<'.repeat(16_000),
			`<a>${';a'.repeat(8_000)}`,
			`<a>;${' '.repeat(16_000)}`,
			`<a>; rel="${'\\"'.repeat(8_000)}`,
			`<a>${'; a = '.repeat(2_600)}`,
			'<a>;a'.repeat(3_200),
		]) {
			expect(parseNextLink(hostile, current)).toBeUndefined();
		}
		expect(Date.now() - startedAt).toBeLessThan(500);
	});
});
