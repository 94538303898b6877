import {
	findPasswords,
	parseJsonObject,
} from '../../../../nodes/EncryptedContainers/parameters/json';

const label = 'Rules (JSON)';
const read = (value: unknown) => parseJsonObject(value, label);

describe('a JSON parameter', () => {
	it.each<[unknown, object]>([
		['{ "opens": 5 }', { opens: 5 }],
		[{ opens: 5 }, { opens: 5 }],
		['\uFEFF{}', {}],
		['{ "note": "[hidden]." }', { note: '[hidden].' }],
		['\n{"time":{"end":"2026-12-31"}}\n', { time: { end: '2026-12-31' } }],
	])('is parsed: %j', (value, parsed) => {
		expect(read(value)).toEqual(parsed);
	});

	it('is copied, so that changes do not reach the input item', () => {
		const given = { time: { end: '2026-12-31' } };
		const parsed = read(given);
		expect(parsed).not.toBe(given);
		expect(parsed.time).not.toBe(given.time);
	});

	it('is rejected when it has a value that the node hid', () => {
		const text = '"pin" in "Rules (JSON)" is "[hidden]"';
		expect(() => read({ a: [{ b: 1, pin: '[hidden]' }] })).toThrow(text);
	});

	it.each(['[1]', '5', 'null', '"x"', [1], null, undefined, 7])('is not %j', (value) => {
		expect(() => read(value)).toThrow('"Rules (JSON)" is not a JSON object');
	});

	it.each([{ a: { on: new Date('never') } }, '{"a":{"on":"Invalid DateTime"}}'])(
		'is rejected when it would lose a date: %j',
		(value) => {
			expect(() => read(value)).toThrow('"on" in "Rules (JSON)" is not a date');
			expect(read({ a: { on: null } })).toEqual({ a: { on: null } });
		},
	);

	it.each([{ opens: Number.NaN }, { a: [{ opens: -Infinity }] }, '{"opens":1e999}'])(
		'is rejected when it would lose a number: %j',
		(value) => {
			expect(() => read(value)).toThrow('"opens" in "Rules (JSON)" is not a number');
		},
	);

	it.each([
		['{ "opens": 5, }', / at line 1, column 15$/],
		['{\n  opens: 5\n}', / at line 2, column 3$/],
		['{} {}', / at line 1, column 4$/],
		['{ "opens": 5', /: it ends too early$/],
		['{ "opens\n": 5 }', / at line 1, column 9$/],
		['{ "opens', /: it ends too early$/],
		[' \n', / is empty$/],
		// What it contains can be a password.
		['{ "password": "hunter2-hunter2" "name": "x" }', /^((?!hunter2).)* at line 1, column 33$/],
	])('is rejected with the position of the mistake: %j', (text, message) => {
		expect(() => read(text)).toThrow(message);
		expect(() => read(text)).toThrow(
			expect.objectContaining({ description: expect.not.stringContaining('hunter2') }),
		);
	});
});

it('passwords in JSON are found by the name that the API has for them, at any depth', () => {
	const container = { name: 'Invoice', password: 'first', drm: { opens: 3, password: 4829 } };
	const none = { password: null, pin_code: '8001', passwordHint: 'x' };
	expect(findPasswords({ container, files: [{ password: 'third' }], none })).toEqual([
		...['first', '4829', 'third'],
	]);
});
