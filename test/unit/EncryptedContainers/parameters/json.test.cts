import { parseJsonObject } from '../../../../nodes/EncryptedContainers/parameters/json';

const read = (value: unknown) => parseJsonObject(value, 'Rules (JSON)');

describe('a JSON parameter', () => {
	it.each([
		['text', '{ "opens": 5 }', { opens: 5 }],
		['an object from an expression', { opens: 5 }, { opens: 5 }],
		['an empty object', '{}', {}],
		['nested text', '\n{"time":{"end":"2026-12-31"}}\n', { time: { end: '2026-12-31' } }],
	])('is parsed from %s', (_form, value, parsed) => {
		expect(read(value)).toEqual(parsed);
	});

	it('is copied, so that changes do not reach the input item', () => {
		const given = { time: { end: '2026-12-31' } };
		const parsed = read(given);
		expect(parsed).not.toBe(given);
		expect(parsed.time).not.toBe(given.time);
	});

	it.each([
		['a list', '[1]'],
		['a number', '5'],
		['null', 'null'],
		['a text', '"x"'],
		['a list from an expression', [1]],
		['null from an expression', null],
		['undefined from an expression', undefined],
		['a number from an expression', 7],
	])('is rejected when it contains %s', (_form, value) => {
		expect(() => read(value)).toThrow('"Rules (JSON)" is not a JSON object');
	});

	it('is rejected when it is nested too deeply, or contains itself', () => {
		const cyclic: Record<string, unknown> = {};
		cyclic.self = cyclic;
		const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
		for (const value of [cyclic, deep]) {
			expect(() => read(value)).toThrow(`"Rules (JSON)" can't be sent as JSON`);
		}
	});

	it.each(['{"__proto__":{}}', '{"a":[{"\\u005f_proto__":1}]}', '{"b":{"constructor":1,"c":2}}'])(
		'is rejected when a field would reach a prototype: %s',
		(text) => {
			expect(() => read(text)).toThrow('"Rules (JSON)" contains a field with the name');
			expect(() => read(JSON.parse(text))).toThrow('"Rules (JSON)" contains a field with the name');
			expect(read({ text, __proto__x: 1 })).toEqual({ text, __proto__x: 1 });
		},
	);

	it('is rejected when it is long and cut', () => {
		expect(() => read(`{"name":"${'x'.repeat(6_000_000)}`)).toThrow('it ends too early');
		expect(() => read(`{"list":[${'\n1,'.repeat(2_000_000)}`)).toThrow('it ends too early');
		expect(() => read(`{"list":[${'\n1,'.repeat(2_000_000)}1 1`)).toThrow('line 2000001, column 5');
	});

	it.each(['', '  \n'])('is rejected when it is empty (%j)', (value) => {
		expect(() => read(value)).toThrow('"Rules (JSON)" is empty');
	});

	it.each([
		['an extra comma', '{ "opens": 5, }', 'at line 1, column 15'],
		['a missing quote', '{\n  opens: 5\n}', 'at line 2, column 3'],
		['text after the end', '{} {}', 'at line 1, column 4'],
		['a missing bracket', '{ "opens": 5', 'line 1, column 13'],
		['a line break in quotes', '{ "opens\n": 5 }', 'at line 1, column 9'],
		['an open quote', '{ "opens', 'line 1, column 9'],
		['only a bracket', '{', 'line 1, column 2'],
	])('is rejected with the position of %s', (_mistake, text, place) => {
		expect(() => read(text)).toThrow(
			expect.objectContaining({
				message: expect.stringMatching(
					new RegExp(
						`"Rules \\(JSON\\)" is not valid JSON(: it ends too early| ${place}|.*${place})`,
					),
				),
			}),
		);
	});

	it('is rejected without a position where the engine provides none', () => {
		expect(() => read('{\n"a": 1,\n"b": x\n}')).toThrow(/^"Rules \(JSON\)" is not valid JSON$/);
	});

	it('is rejected without quoting its content, which can contain a password', () => {
		const text = '{ "container": { "password": "hunter2-hunter2" "name": "x" } }';
		const error = (() => {
			try {
				return read(text);
			} catch (caught) {
				return caught as Error & { description: string };
			}
		})();
		expect(`${String(error.message)} ${String(error.description)}`).not.toContain('hunter2');
	});
});
