import { parseNextLink } from '../../../../nodes/shared/client/paginate';

const current = 'https://share.example.com/api/v1/users/u/containers?page=1';
const second = 'https://share.example.com/api/v1/users/u/containers?page=2';

describe('the next page of a Link header', () => {
	it.each([
		['an absolute address', `<${second}>; rel="next"`],
		['no quotes', `<${second}>; rel=next`],
		['no space', `<${second}>;rel="next"`],
		['spaces around the equals sign', `<${second}> ; rel = "next"`],
		['capitals', `<${second}>; REL="NEXT"`],
		['several relations', `<${second}>; rel="last next"`],
		['a parameter before', `<${second}>; title="more"; rel="next"`],
		['a parameter without a value', `<${second}>; crossorigin; rel="next"`],
		['a parameter after', `<${second}>; rel="next"; title="a, b; c"`],
		['other links before', `<https://x.example/>; rel="prev", <${second}>; rel="next"`],
		['other links after', `<${second}>; rel="next", <https://x.example/>; rel="last"`],
		[
			'a title that resembles a relation',
			`<https://x.example/>; title="rel=next", <${second}>; rel="next"`,
		],
		['a path', '</api/v1/users/u/containers?page=2>; rel="next"'],
		['a query', '<?page=2>; rel="next"'],
		['no scheme', '<//share.example.com/api/v1/users/u/containers?page=2>; rel="next"'],
		['a comma in the address', `<${second}&ids=1,2>; rel="next"`, `${second}&ids=1,2`],
	])('is found with %s', (_form, header, expected = second) => {
		expect(parseNextLink(header, current)).toBe(expected);
	});

	it.each([
		['no header', undefined],
		['an empty header', ''],
		['no next link', '<https://x.example/>; rel="prev"'],
		['a relation with the same prefix', `<${second}>; rel="next-archive"`],
		['no relation', `<${second}>`],
		['a title', `<${second}>; title="next"`],
		['another parameter with the same suffix', `<${second}>; xrel="next"`],
		['an invalid address', '<https://>; rel="next"'],
		['no brackets', `${second}; rel="next"`],
	])('is missing with %s', (_form, header) => {
		expect(parseNextLink(header, current)).toBeUndefined();
	});

	it('is searched quickly in 16 kB of any text, the maximum size of a header', () => {
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
		expect(Date.now() - startedAt).toBeLessThan(5_000);
	});
});
