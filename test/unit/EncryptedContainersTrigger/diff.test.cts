import fc from 'fast-check';
import {
	detectCreated,
	detectDeleted,
	detectUpdated,
} from '../../../nodes/EncryptedContainersTrigger/diff';
import type { Comparison, Snapshot } from '../../../nodes/EncryptedContainersTrigger/types';
import { always } from '../support/seeded.cts';

/** What the service contains at a poll: contents by identifier, in any order. */
type World = Array<[id: string, content: string]>;

const gone = detectDeleted((identity, name) => ({ id: identity, name }));

const subjectsOf = (world: World): Snapshot[] =>
	world.map(([id, content]) => ({
		identity: id,
		name: `Name of ${id}`,
		fingerprints: { content, same: 'same' },
		toItem: (names) => ({ id, names }),
	}));

/** Polls each world in turn and stores the state as JSON in between. Returns what each poll found. */
function pollAll(comparison: Comparison, worlds: World[]) {
	let remembered = comparison.toState(subjectsOf(worlds[0]));
	return worlds.slice(1).map((world) => {
		const subjects = subjectsOf(world);
		const found = comparison.diff(JSON.parse(JSON.stringify(remembered)), subjects);
		remembered = comparison.toState(subjects);
		return found.map(({ id }) => id as string);
	});
}

const world: fc.Arbitrary<World> = fc.uniqueArray(
	fc.tuple(
		fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '__proto__', 'x y', 'ü@example.com'),
		fc.constantFrom('1', '2', ''),
	),
	{ selector: ([id]) => id },
);
const history = fc.array(world, { minLength: 2, maxLength: 6 });

const pairs = (worlds: World[]) =>
	worlds
		.slice(1)
		.map((now, place): [Map<string, string>, Map<string, string>] => [
			new Map(worlds[place]),
			new Map(now),
		]);

describe('over any history', () => {
	it('detectCreated finds each new record once, in the order of the list', async () => {
		await always(
			fc.property(history, (worlds) => {
				const expected = pairs(worlds).map(([before, now]) =>
					[...now.keys()].filter((id) => !before.has(id)),
				);
				expect(pollAll(detectCreated, worlds)).toEqual(expected);
			}),
		);
	});

	it('detectUpdated finds each changed record once, and no new ones', async () => {
		await always(
			fc.property(history, (worlds) => {
				const expected = pairs(worlds).map(([before, now]) =>
					[...now]
						.filter(([id, text]) => before.has(id) && before.get(id) !== text)
						.map(([id]) => id),
				);
				expect(pollAll(detectUpdated, worlds)).toEqual(expected);
			}),
		);
	});

	it('detectDeleted finds each deleted record once', async () => {
		await always(
			fc.property(history, (worlds) => {
				const expected = pairs(worlds).map(([before, now]) =>
					[...before.keys()].filter((id) => !now.has(id)),
				);
				expect(pollAll(gone, worlds)).toEqual(expected);
			}),
		);
	});

	it('the state does not depend on the order of the list', async () => {
		const shuffled = world.chain((first) =>
			fc.tuple(fc.constant(first), fc.shuffledSubarray(first, { minLength: first.length })),
		);
		await always(
			fc.property(shuffled, ([first, second]) => {
				for (const comparison of [detectCreated, detectUpdated, gone]) {
					expect(pollAll(comparison, [first, second, first])).toEqual([[], []]);
				}
			}),
		);
	});
});

describe('a comparison', () => {
	it('names the parts that changed', () => {
		const before = detectUpdated.toState(subjectsOf([['a', '1']]));

		expect(detectUpdated.diff(before, subjectsOf([['a', '2']]))).toEqual([
			{ id: 'a', names: ['content'] },
		]);
	});

	it('returns the name of a deleted record, shortened when it is very long', () => {
		const [long] = subjectsOf([['b', '']]);
		const subjects = [...subjectsOf([['a', '']]), { ...long, name: 'x'.repeat(10_000) }];

		const [first, second] = gone.diff(gone.toState(subjects), []);

		expect(first).toEqual({ id: 'a', name: 'Name of a' });
		expect(second).toEqual({ id: 'b', name: `${'x'.repeat(200)}…` });
	});
});
