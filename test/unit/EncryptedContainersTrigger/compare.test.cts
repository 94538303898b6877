import fc from 'fast-check';
import type { PollState } from '../../../nodes/EncryptedContainersTrigger/createPoll';
import { events, type ListEvent } from '../../../nodes/EncryptedContainersTrigger/events';
import { compare, getKey } from '../../../nodes/EncryptedContainersTrigger/pollList';
import { always } from '../support/seeded.cts';

const [containerCreated, containerDeleted, contactCreated, contactChanged, contactDeleted] = [
	...['containerCreated', 'containerDeleted', 'contactCreated', 'contactChanged', 'contactDeleted'],
].map((name) => events[name] as ListEvent);

/** What the service contains at a poll: contents by identifier, in any order. */
type World = Array<[id: string, content: string]>;

const getContent = (id: string, content: string) => JSON.stringify({ id, content });

const toReading = (event: ListEvent, world: World) => ({
	keys: new Set(world.map(([id]) => getKey(event, id))),
	contents: new Map(
		world.map(([id, content]) => [
			getKey(event, id),
			{ content: getContent(id, content), toItem: (before?: string) => ({ id, before }) },
		]),
	),
	includeExisting: false,
});

const toState = (event: ListEvent, world: World): PollState => ({
	known: Object.fromEntries(
		world.map(([id, content]) => [getKey(event, id), getContent(id, content)]),
	),
});

/** Polls each world in turn, where everything missing was deleted, and stores the state as JSON in between. */
async function pollAll(event: ListEvent, worlds: World[]) {
	let state: PollState | undefined;
	const found: string[][] = [];
	for (const world of worlds) {
		const { items, known } = await compare(event, state, toReading(event, world));
		state = JSON.parse(JSON.stringify({ known })) as PollState;
		found.push(items.map(({ id }) => id as string));
	}
	return found;
}

const world: fc.Arbitrary<World> = fc.uniqueArray(
	fc.tuple(
		fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '__proto__', 'x y', 'ü@example.com'),
		fc.constantFrom('1', '2', ''),
	),
	{ selector: ([id]) => id },
);
const history = fc.array(world, { minLength: 2, maxLength: 6 });

describe('over any history', () => {
	/** What each poll after the first one finds: IDs, from what there was and what there is. */
	it.each<[string, ListEvent, (before: Map<string, string>, now: Map<string, string>) => string[]]>(
		[
			[
				'new record is found once, in the order of the list',
				containerCreated,
				(before, now) => [...now.keys()].filter((id) => !before.has(id)),
			],
			[
				'changed record is found once, and no new one',
				contactChanged,
				(before, now) =>
					[...now.keys()].filter((id) => before.has(id) && before.get(id) !== now.get(id)),
			],
			[
				'deleted record is found once',
				containerDeleted,
				(before, now) => [...before.keys()].filter((id) => !now.has(id)),
			],
		],
	)('each %s', async (_what, event, find) => {
		await always(
			fc.asyncProperty(history, async (worlds) => {
				const expected = worlds
					.slice(1)
					.map((now, place) => find(new Map(worlds[place]), new Map(now)));
				expect(await pollAll(event, worlds)).toEqual([[], ...expected]);
			}),
		);
	});
});

it('takes an address in another form for the same contact', async () => {
	for (const event of [contactCreated, contactDeleted]) {
		const before = toState(event, [['Ann@münchen.example', '']]);
		const reading = toReading(event, [[' ANN@xn--mnchen-3ya.example', '']]);
		const { items, known } = await compare(event, before, reading);
		expect([items, Object.keys(known).length]).toEqual([[], 1]);
	}
});
