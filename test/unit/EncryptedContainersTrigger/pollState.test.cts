import type { PollState } from '../../../nodes/EncryptedContainersTrigger/pollState';
import { hash, loadState, saveState } from '../../../nodes/EncryptedContainersTrigger/pollState';

const state = (...ids: string[]): PollState => ({
	known: new Map(ids.map((id) => [id, `Content of ${id}`])),
});

describe('the poll state', () => {
	it.each([
		['complete', state('a', 'b', '__proto__')],
		['without records', state()],
		['of a poll that ran out of time', { ...state('a'), readUntil: 'a' }],
	])('survives the round trip through the database: %s', async (_what, saved) => {
		const staticData = {};
		saveState(staticData, 'key', saved);

		expect(loadState(JSON.parse(JSON.stringify(staticData)), 'key')).toEqual(saved);
	});

	it('is replaced in one assignment', async () => {
		const assigned: Array<string | symbol> = [];
		const staticData = new Proxy(
			{ saved: { key: 'key', known: { a: '' } } },
			{
				set(target, name, value) {
					assigned.push(name);
					return Reflect.set(target, name, value);
				},
			},
		);

		saveState(staticData, 'key', state('b'));

		expect(assigned).toEqual(['saved']);
		expect(loadState(staticData, 'key')).toEqual(state('b'));
	});

	it.each([
		['nothing', {}],
		['the state of another key', { saved: { key: 'other', known: {} } }],
	])('is empty for %s', (_what, staticData) => {
		expect(loadState(staticData, 'key')).toBeUndefined();
	});
});

it('a fingerprint has its length, contains nothing of the text, and is distinct', () => {
	expect(hash('anna@example.com')).toMatch(/^[\w+/]{12}$/);
	const digests = Array.from({ length: 100_000 }, (_, number) => hash(`c-${number}`));
	expect(new Set(digests).size).toBe(100_000);
});
