import { memoryKey, recall, remember } from '../../../nodes/EncryptedContainersTrigger/memory';

describe('the memory of the trigger', () => {
	it('gives back what was remembered, through the database', () => {
		const staticData = {};
		remember(staticData, 'key', ['a', 'b']);

		expect(recall(JSON.parse(JSON.stringify(staticData)), 'key')).toEqual(['a', 'b']);
	});

	it('replaces what was there in one assignment', () => {
		const assigned: Array<string | symbol> = [];
		const staticData = new Proxy(
			{ memory: { key: 'key', known: ['a'] } },
			{
				set(target, name, value) {
					assigned.push(name);
					return Reflect.set(target, name, value);
				},
			},
		);

		remember(staticData, 'key', ['b']);

		expect(assigned).toEqual(['memory']);
		expect(recall(staticData, 'key')).toEqual(['b']);
	});

	it.each([
		['nothing', {}],
		['what belongs to something else', { memory: { key: 'other', known: ['a'] } }],
		['what is no memory', { memory: 'key' }],
		['a memory without a list', { memory: { key: 'key', known: { a: 1 } } }],
	])('knows nothing from %s', (_what, staticData) => {
		expect(recall(staticData, 'key')).toBeUndefined();
	});

	it('has a key that is short and shows nothing of what is watched', () => {
		const watched = ['containerCreated', 'https://share.example.com/api/v1', 'user-1'];

		expect(memoryKey(watched)).toMatch(/^[\w+/]{16}$/);
		expect(memoryKey(watched)).toBe(memoryKey([...watched]));
		expect(memoryKey([...watched, ''])).not.toBe(memoryKey(watched));
	});
});
