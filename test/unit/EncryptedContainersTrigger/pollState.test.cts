import type { PollState } from '../../../nodes/EncryptedContainersTrigger/pollState';
import {
	createStateKey,
	loadState,
	saveState,
} from '../../../nodes/EncryptedContainersTrigger/pollState';

const state = (...ids: string[]): PollState => ({
	known: ids.map((id) => ({ id, content: `Content of ${id}` })),
	hasNoRules: false,
});

describe('the poll state', () => {
	it.each([
		['complete', state('a', 'b', '__proto__')],
		['without records', state()],
		['of a poll that ran out of time', { ...state('a'), readUntil: 'a' }],
		['of a poll without rules', { ...state('a'), hasNoRules: true }],
	])('survives the round trip through the database: %s', (_what, saved) => {
		const staticData = {};
		saveState(staticData, 'key', saved);

		expect(loadState(JSON.parse(JSON.stringify(staticData)), 'key')).toEqual(saved);
	});

	it('is replaced in one assignment', () => {
		const assigned: Array<string | symbol> = [];
		const staticData = new Proxy(
			{ memory: { key: 'key', known: ['a', ''] } },
			{
				set(target, name, value) {
					assigned.push(name);
					return Reflect.set(target, name, value);
				},
			},
		);

		saveState(staticData, 'key', state('b'));

		expect(assigned).toEqual(['memory']);
		expect(loadState(staticData, 'key')).toEqual(state('b'));
	});

	it.each([
		['nothing', {}],
		['the state of another key', { memory: { key: 'other', known: ['a', ''] } }],
		['a value that is not a state', { memory: 'key' }],
		['a state without a list', { memory: { key: 'key', known: { a: 1 } } }],
	])('is empty for %s', (_what, staticData) => {
		expect(loadState(staticData, 'key')).toBeUndefined();
	});

	it('has a short key that reveals nothing of what is watched', () => {
		const watched = ['containerCreated', 'https://share.example.com/api/v1', 'user-1'];

		expect(createStateKey(watched)).toMatch(/^[\w+/]{16}$/);
		expect(createStateKey(watched)).toBe(createStateKey([...watched]));
		expect(createStateKey([...watched, ''])).not.toBe(createStateKey(watched));
	});
});
