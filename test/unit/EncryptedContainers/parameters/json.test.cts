import {
	findPasswords,
	parseJsonObject,
} from '../../../../nodes/EncryptedContainers/parameters/json';

const read = (value: unknown) => parseJsonObject(value, 'Rules (JSON)');

it.each<[unknown, object]>([
	['\uFEFF{ "opens": 5 }\n', { opens: 5 }],
	[
		{ opens: 5, a: { on: null } },
		{ opens: 5, a: { on: null } },
	],
	['{ "note": "[hidden]." }', { note: '[hidden].' }],
])('a JSON field is parsed: %j', (value, parsed) => {
	expect(read(value)).toEqual(parsed);
	// So that changes do not reach the input item.
	expect(read(value)).not.toBe(value);
});

it.each<[string | RegExp, ...unknown[]]>([
	['"Rules (JSON)" is not a JSON object', '[1]', '5', 'null', [1], null, undefined, 7],
	['"pin" in "Rules (JSON)" is "[hidden]"', { a: [{ b: 1, pin: '[hidden]' }] }],
	['"on" in "Rules (JSON)" is not a date', { on: new Date('never') }, '{"on":"Invalid DateTime"}'],
	['"n" in "Rules (JSON)" is not a number', { a: [{ n: Number.NaN }] }, '{"n":1e999}'],
	['"Rules (JSON)" is empty', ' \n'],
	['"Rules (JSON)" is not valid JSON', '{ "opens": 5, }', '{} {}', '{ "opens'],
	// What it contains can be a password.
	[/^"Rules \(JSON\)" is not valid ((?!hunter2).)*$/, '{ "password": "hunter2" "name": "x" }'],
])('an error says %s', (message, ...wrong) => {
	for (const value of wrong) {
		expect(() => read(value)).toThrow(message);
		expect(() => read(value)).toThrow(
			expect.objectContaining({ description: expect.not.stringContaining('hunter2') }),
		);
	}
});

it('passwords in JSON are found by the name that the API has for them, at any depth', () => {
	const container = { name: 'Invoice', password: 'first', drm: { opens: 3, password: 4829 } };
	const none = { password: null, pin_code: '8001', passwordHint: 'x' };
	const found = findPasswords({ container, files: [{ password: 'third' }], none });
	expect(found).toEqual(['first', '4829', 'third']);
});
