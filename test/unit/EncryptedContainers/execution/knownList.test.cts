import { KnownList, markAsStale } from '../../../../nodes/EncryptedContainers/execution/knownList';

let keys = 0;
const newKey = () => `list ${(keys += 1)}`;

const listOf = async (key: string, entries: Record<string, number>) =>
	await new KnownList<number>(key).load(Promise.resolve(new Map(Object.entries(entries))));

describe('a list that executions know', () => {
	it('has its entries, until one of them changes', async () => {
		const key = newKey();
		const lists = [await listOf(key, { a: 1, b: 2 }), await listOf(key, { a: 1, b: 2 })];

		markAsStale(key, 'a');

		for (const list of lists) {
			expect([list.isStale('a'), list.isStale('b')]).toEqual([true, false]);
			expect([list.get('a'), list.get('b'), list.get('c')]).toEqual([undefined, 2, undefined]);
		}
	});

	it('is not concerned by a change in another list', async () => {
		const list = await listOf(newKey(), { a: 1 });

		markAsStale(newKey(), 'a');

		expect(list.get('a')).toBe(1);
	});

	it('does not believe an entry that changed while the list was fetched', async () => {
		const key = newKey();
		const loading = listOf(key, { a: 1 });
		markAsStale(key, 'a');

		expect((await loading).get('a')).toBeUndefined();
	});

	it.each([3, undefined])('has an entry again that was fetched anew: %j', async (entry) => {
		const list = await listOf(newKey(), { a: 1 });
		list.markAsStale('a');

		list.set('a', entry);

		expect(list.isStale('a')).toBe(false);
		expect(list.get('a')).toBe(entry);
	});
});
