import type { IDataObject } from 'n8n-workflow';
import type { Poll, PollState } from '../../../nodes/EncryptedContainersTrigger/createPoll';
import { events, type ListEvent } from '../../../nodes/EncryptedContainersTrigger/events';
import { pollList } from '../../../nodes/EncryptedContainersTrigger/pollList';
import { rowsOf } from '../../support/texts.cts';
import { setUpClient } from '../support/client.cts';

/** What the list of each poll has: a field of each record, by its identifier. */
type List = Record<string, string>;

/** Polls a list after the other, and stores the state as JSON in between. @returns the identifiers in the items of each poll */
async function pollAll(event: ListEvent, lists: List[]) {
	const parameters = { query: [], nameContains: '', fieldsToIgnore: [] };
	const ending = new AbortController();
	let state: PollState | undefined;
	const found: unknown[][] = [];
	for (const [poll, list] of lists.entries()) {
		const body = Object.entries(list).map(([id, company]) => ({
			...{ uuid: id, email: id, company, updated_date: `2026-01-0${poll + 1}` },
		}));
		const { client } = setUpClient([{ body }]);
		const current = { client, userId: 'u', isSample: false, state, parameters, ending };
		const polled = await pollList(current as unknown as Poll, event);
		state = JSON.parse(JSON.stringify(polled.state)) as PollState;
		found.push(polled.items.map(({ containerId, email }) => containerId ?? email));
	}
	return found;
}

const history: List[] = [
	{ a: '1', b: '1' },
	{ b: '2', c: '1', a: '1' },
	{ a: '1', constructor: '1' },
	{},
	{ c: '2', a: '2' },
	{ a: '2', c: '2' },
];

it.each<[string, unknown[][]]>([
	['containerCreated', [[], ['c'], ['constructor'], [], ['c', 'a'], []]],
	['containerDeleted', [[], [], ['b', 'c'], ['a', 'constructor'], [], []]],
	['contactCreated', [[], ['c'], ['constructor'], [], ['c', 'a'], []]],
	['contactChanged', [[], ['b'], [], [], [], []]],
	['contactDeleted', [[], [], ['b', 'c'], ['a', 'constructor'], [], []]],
])('each change between two polls is found once: %s', async (event, found) => {
	expect(await pollAll(events[event] as ListEvent, history)).toEqual(found);
});

it.each(['contactCreated', 'contactDeleted'])(
	'an address in another form is the same contact: %s',
	async (name) => {
		const lists: List[] = [{ 'Ann@münchen.example': '1' }, { ' ANN@xn--mnchen-3ya.example': '1' }];
		expect(await pollAll(events[name] as ListEvent, lists)).toEqual([[], []]);
	},
);

const [accessEnding, drmChanged] = [events.accessEnding, events.drmChanged] as ListEvent[];

const read = (event: ListEvent, rules: object, options: object, saved?: string) =>
	event.read(
		{ id: 'c-1', key: 'c-1', record: {}, rules },
		options as Parameters<ListEvent['read']>[1],
		saved,
	);

describe('Access Rules Changed', () => {
	const full = {
		...{ dynamic: true, downloadable: false, opens: 3 },
		recipients: ['Ann@x.example', 'bob@münchen.example'],
		geo: { allow: [{ country: 'CH' }, { country: 'AT' }] },
		ip: { allow: ['2001:db8::A'] },
		time: { end: '2099-12-31' },
	};
	/** The item of a change between two polls; undefined where there is none. */
	const change = (before: object, after: object, options: IDataObject = {}) =>
		read(drmChanged, after, options, read(drmChanged, before, options).content).item;

	it.each<[string, object, object]>([
		[
			'doubles, another order and other forms of the addresses',
			full,
			{ ...full, recipients: ['bob@xn--mnchen-3ya.example', 'ANN@x.example', 'Ann@x.example'] },
		],
		[
			'recipients as objects, and another order of the countries',
			full,
			{
				...{ ...full, recipients: full.recipients.map((email) => ({ email })) },
				geo: { allow: [...full.geo.allow].reverse() },
			},
		],
		['nothing at all', {}, { opens: null, recipients: [], time: { start: null } }],
	])('is no event for %s', (_what, before, after) => {
		expect(change(before, after)).toBeUndefined();
	});

	it.each([
		['opens', { ...full, opens: 0 }],
		['dynamic', { ...full, dynamic: false }],
		['recipients', { ...full, recipients: ['ann@x.example'] }],
		['geo', { ...full, geo: { block: full.geo.allow } }],
		['time', { ...full, time: { start: '2099-01-01', end: '2099-12-31' } }],
	])('is an event for other %s', (name, after) => {
		expect(change(full, after)).toEqual({ changedRules: [name], added: { recipients: [] } });
	});

	it('names the recipients that came, of which hashes are saved', () => {
		const after = { opens: 3, recipients: ['ANN@x.example', 'new@x.example', 'New@X.example'] };

		expect(change({ ...full, opens: 5 }, after)).toEqual({
			changedRules: ['dynamic', 'geo', 'ip', 'opens', 'time', 'downloadable', 'recipients'],
			added: { recipients: ['New@X.example'] },
		});
		expect(read(drmChanged, full, {}).content).not.toMatch(/example/);
	});

	it('has the rules before, and who went, with Include Previous Rules, from the second change on', () => {
		const after = { ...full, recipients: ['ann@x.example'] };
		const options = { includePreviousRules: true };
		const removed = { recipients: ['bob@münchen.example'] };
		const plain = { changedRules: ['recipients'], added: { recipients: [] } };

		expect(change(full, after, options)).toEqual({ ...plain, removed, before: full });
		const saved = read(drmChanged, full, {}).content;
		expect(read(drmChanged, after, options, saved).item).toEqual(plain);
		// Neither is an event by itself.
		expect(read(drmChanged, full, options, saved).item).toBeUndefined();
	});
});

/** The day, the end and the days of each poll, and what its item says: the end, and the days that are left. */
const endings = rowsOf<[polls: Array<[string, string | null, number?]>, items: unknown[]]>(`
	once for each end, also one that approaches again: [[[2026-05-01, 2026-05-10], [2026-05-03, 2026-05-10], [2026-05-04, 2026-05-10], [2026-05-04, 2026-06-20], [2026-05-05, 2026-05-10]], [null, 2026-05-10 in 7, null, null, 2026-05-10 in 5]]
	not where it has no end, or one that has passed: [[[2026-05-01, null], [2026-05-11, 2026-05-10]], [null, null]]
	on the last day: [[[2026-05-10, 2026-05-10, 0]], [2026-05-10 in 0]]
	not again with fewer days and more: [[[2026-05-05, 2026-05-10], [2026-05-05, 2026-05-10, 3], [2026-05-05, 2026-05-10, 7]], [2026-05-10 in 5, null, null]]
	late, where no poll ran: [[[2026-04-01, 2026-05-10], [2026-05-12, 2026-05-10], [2026-05-13, 2026-05-10]], [null, 2026-05-10 in -2, null]]
	not where somebody moved the end into the past: [[[2026-05-01, 2026-06-20], [2026-05-12, 2026-05-10]], [null, null]]
	by the day that the service shows: [[[2026-05-09, "2026-05-10T00:30:00+14:00"]], [2026-05-10 in 1]]
`);

it.each(endings)('Access Ending starts the workflow %s', (_what, [polls, expected]) => {
	let saved: string | undefined;
	const items = polls.map(([today, end, withinDays = 7]) => {
		const { content, item } = read(accessEnding, { time: { end } }, { today, withinDays }, saved);
		const isEvent = content !== saved;
		saved = content;
		return item === undefined || !isEvent
			? null
			: `${String(item.endsOn)} in ${String(item.daysLeft)}`;
	});

	expect(items).toEqual(expected);
});

it.each<[ListEvent, object, string]>([
	[drmChanged, { recipients: [7] }, '"recipients" in a form'],
	[accessEnding, { time: { end: '12/31/2099' } }, '"time" in a form'],
])('what is in another form is not guessed: %#', (event, rules, message) => {
	expect(() => read(event, rules, { today: '2026-05-01', withinDays: 7 })).toThrow(message);
});
