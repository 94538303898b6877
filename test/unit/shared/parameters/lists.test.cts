import {
	assertAddress,
	cleanAddress,
	parseAddresses,
	parseList,
	parseOptionalList,
} from '../../../../nodes/shared/parameters/lists';

describe('a list', () => {
	it.each([
		['nothing', undefined, []],
		['null', null, []],
		['empty text', '', []],
		['only separators', ' , ;\n\r\n', []],
		['one entry', 'a', ['a']],
		['commas', 'a, b ,c', ['a', 'b', 'c']],
		['semicolons', 'a;b; c', ['a', 'b', 'c']],
		['line ends of every kind', 'a\nb\r\nc\rd', ['a', 'b', 'c', 'd']],
		['separators at the ends', ',a,,b;', ['a', 'b']],
		['an array', ['a', 'b'], ['a', 'b']],
		['an array whose entries hold separators', ['a, b', ' c '], ['a', 'b', 'c']],
		['an empty array', [], []],
		['the same entry twice', 'a, b, a', ['a', 'b']],
		['a JSON array before something', '["a"]x', ['["a"]x']],
		['a JSON array after something', 'x["a"]', ['x["a"]']],
		['a JSON array in an array', ['["a"]'], ['["a"]']],
		['a JSON array that is cut off', '["a"', ['["a"']],
	])('is parsed from %s', (_form, value, entries) => {
		expect(parseList(value, 'Recipients')).toEqual(entries);
	});

	it.each([
		['a number', 5],
		['an object', { a: 1 }],
		['a boolean', false],
		['an array with a number', ['a', 5]],
		['an array with null', ['a', null]],
		['an array in an array', [['a']]],
	])('is rejected with the name of the field from %s', (_form, value) => {
		expect(() => parseList(value, 'Recipients')).toThrow(
			'"Recipients" contains an entry that is not text',
		);
	});
});

it('an optional list can be empty, but not missing', () => {
	expect(parseOptionalList('', 'Entries')).toEqual([]);
	for (const value of [undefined, null]) {
		expect(() => parseOptionalList(value, 'Entries')).toThrow('"Entries" is empty');
	}
});

describe('an email address', () => {
	const address = 'anna@x.example';

	it.each([
		...[`"${address}"`, `'${address}'`, `<${address}>`, `" <${address}> "`, ` ${address} `],
		...[`mailto:${address}`, `MAILTO: ${address}`, `mailto:${address}?subject=Hi`],
		...[`Anna Berg <${address}>`, `"Berg, Anna" <${address}>`, `a@b.example <${address}>`],
		...[[{ email: `Anna <${address}>` }], `x<${address}>`],
		...[[{ email: address }], { email: address }, `["${address}"]`, ` ["${address}"] ; `],
	])('is found in %j', (value) => {
		expect(parseAddresses(value, 'Recipients')).toEqual([address]);
	});

	it.each([`x"${address}"`, `"${address}"x`, `<${address}>x`, `xmailto:${address}x y`])(
		'is not found in %j',
		(value) => {
			expect(() => parseAddresses(value, 'Recipients')).toThrow('is not an email address');
		},
	);

	it.each([
		'anna@example.com',
		'anna+tag@example.com',
		'*@example.com',
		'*@*',
		"o'neil/sales@example.co.uk",
		'grüße@exämple.com',
		'用户@例え.jp',
	])('can be %s', (address) => {
		expect(parseAddresses(address, 'Recipients')).toEqual([address]);
	});

	it.each([
		['no @', 'anna'],
		['nothing before the @', '@example.com'],
		['nothing after the @', 'anna@'],
		['two @', 'a@b@c'],
		['a space', 'an na@example.com'],
		['a name without brackets', 'Anna anna@example.com'],
	])('is rejected and quoted in the error, with %s', (_what, wrong) => {
		expect(() => parseAddresses(['good@example.com', wrong], 'Recipients: Add')).toThrow(
			`"${wrong}" in "Recipients: Add" is not an email address`,
		);
	});

	it('is found for each of several names', () => {
		expect(parseAddresses('"B, A" <a@x.example>; Bob <b@x.example>, c@x.example', 'To')).toEqual([
			'a@x.example',
			'b@x.example',
			'c@x.example',
		]);
	});

	it('keeps what only looks like the scheme', () => {
		expect(parseAddresses('xmailto:a@x.example', 'Recipients')).toEqual(['xmailto:a@x.example']);
	});

	it('can have spaces around its quotes', () => {
		expect(cleanAddress(` "${address}" `)).toBe(address);
	});

	it('is not null', () => {
		expect(() => parseAddresses([null], 'Recipients')).toThrow('an entry that is not text');
	});

	it('is shortened in the error', () => {
		const long = 'x'.repeat(300);
		expect(() => assertAddress(long, 'Email')).toThrow(`"${'x'.repeat(100)}" in "Email"`);
	});
});

describe('a JSON array as text', () => {
	it.each([
		'["a@x.example", "mailto:b@x.example"]',
		'["a@x.example", "mailto:b@x.example"];',
		' ["a@x.example", "mailto:b@x.example"] , ',
	])('is a list of addresses, also before a separator: %j', (text) => {
		expect(parseAddresses(text, 'Recipients')).toEqual(['a@x.example', 'b@x.example']);
	});

	it.each(['["a@x.example", "b@x.example"', '"a@x.example", "b@x.example"]', '{"a@x.example"}'])(
		'that is broken does not become addresses: %j',
		(text) => {
			expect(() => parseAddresses(text, 'Recipients')).toThrow('is not an email address');
		},
	);
});
