import {
	createStateKey,
	loadState,
	saveState,
} from '../../../nodes/EncryptedContainersTrigger/pollState';

describe('the memory of the trigger', () => {
	it('gives back what was remembered, through the database', () => {
		const staticData = {};
		saveState(staticData, 'key', ['a', 'b']);

		expect(loadState(JSON.parse(JSON.stringify(staticData)), 'key')).toEqual(['a', 'b']);
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

		saveState(staticData, 'key', ['b']);

		expect(assigned).toEqual(['memory']);
		expect(loadState(staticData, 'key')).toEqual(['b']);
	});

	it.each([
		['nothing', {}],
		['what belongs to something else', { memory: { key: 'other', known: ['a'] } }],
		['what is no memory', { memory: 'key' }],
		['a memory without a list', { memory: { key: 'key', known: { a: 1 } } }],
	])('knows nothing from %s', (_what, staticData) => {
		expect(loadState(staticData, 'key')).toBeUndefined();
	});

	it('has a key that is short and shows nothing of what is watched', () => {
		const watched = ['containerCreated', 'https://share.example.com/api/v1', 'user-1'];

		expect(createStateKey(watched)).toMatch(/^[\w+/]{16}$/);
		expect(createStateKey(watched)).toBe(createStateKey([...watched]));
		expect(createStateKey([...watched, ''])).not.toBe(createStateKey(watched));
	});
});
