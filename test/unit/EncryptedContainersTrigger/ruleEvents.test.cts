import type { IDataObject } from 'n8n-workflow';
import { events, type ListEvent } from '../../../nodes/EncryptedContainersTrigger/events';
import type { TriggerParameters } from '../../../nodes/EncryptedContainersTrigger/parameters';

const [accessEnding, drmChanged] = [events.accessEnding, events.drmChanged] as ListEvent[];

const read = (event: ListEvent, rules: object, options: object, saved?: string) =>
	event.toContent(
		{ id: 'c-1', key: 'c-1', record: {}, rules },
		options as TriggerParameters,
		saved,
	);

describe('Access Rules Changed', () => {
	const full = {
		dynamic: true,
		downloadable: false,
		opens: 3,
		recipients: ['Ann@x.example', 'bob@münchen.example'],
		geo: { allow: [{ country: 'CH' }, { country: 'AT' }] },
		ip: { allow: ['2001:db8::A'] },
		time: { end: '2099-12-31' },
	};
	/** The item of a change between two polls; undefined where there is none. */
	const compare = (before: object, after: object, options: IDataObject = {}) => {
		const saved = read(drmChanged, before, options)?.content;
		const found = read(drmChanged, after, options);
		return drmChanged.isEvent?.(saved, String(found?.content)) ? found?.toItem?.(saved) : undefined;
	};

	it.each<[string, object, object]>([
		[
			'doubles, another order and other forms of the addresses',
			full,
			{ ...full, recipients: ['bob@xn--mnchen-3ya.example', 'ANN@x.example', 'Ann@x.example'] },
		],
		[
			'recipients as objects',
			full,
			{ ...full, recipients: full.recipients.map((email) => ({ email })) },
		],
		[
			'another order of the countries',
			full,
			{ ...full, geo: { allow: [...full.geo.allow].reverse() } },
		],
		['nothing at all', {}, { opens: null, recipients: [], time: { start: null } }],
	])('is no event for %s', (_what, before, after) => {
		expect(compare(before, after)).toBeUndefined();
	});

	it.each([
		['opens', { ...full, opens: 0 }],
		['dynamic', { ...full, dynamic: false }],
		['recipients', { ...full, recipients: ['ann@x.example'] }],
		['geo', { ...full, geo: { block: full.geo.allow } }],
		['time', { ...full, time: { start: '2099-01-01', end: '2099-12-31' } }],
	])('is an event for other %s', (name, after) => {
		expect(compare(full, after)).toEqual({ changedRules: [name], added: { recipients: [] } });
	});

	it('names the recipients that came, of which hashes are saved', () => {
		const after = { opens: 3, recipients: ['ANN@x.example', 'new@x.example', 'New@X.example'] };

		expect(compare({ ...full, opens: 5 }, after)).toEqual({
			changedRules: ['dynamic', 'geo', 'ip', 'opens', 'time', 'downloadable', 'recipients'],
			added: { recipients: ['New@X.example'] },
		});
		expect(read(drmChanged, full, {})?.content).not.toMatch(/example/);
	});

	it('has the rules before, and who went, with Include Previous Rules, from the second change on', () => {
		const after = { ...full, recipients: ['ann@x.example'] };
		const options = { includePreviousRules: true };
		const removed = { recipients: ['bob@münchen.example'] };
		const change = { changedRules: ['recipients'], added: { recipients: [] } };

		expect(compare(full, after, options)).toEqual({ ...change, removed, before: full });
		const saved = read(drmChanged, full, {})?.content;
		expect(read(drmChanged, after, options)?.toItem?.(saved)).toEqual(change);
		// Neither is an event by itself.
		expect(drmChanged.isEvent?.(saved, String(read(drmChanged, full, options)?.content))).toBe(
			false,
		);
	});

	it('does not guess what recipients in another form are', () => {
		expect(() => read(drmChanged, { recipients: [7] }, {})).toThrow('"recipients" in a form');
	});
});

describe('Access Ending', () => {
	/** The days left in the item of each poll: on a day, with an end; undefined where there is none. */
	const poll = (...polls: Array<[today: string, end?: string | null, withinDays?: number]>) => {
		let saved: string | undefined;
		return polls.map(([today, end, withinDays = 7]) => {
			const found = read(accessEnding, { time: { end } }, { today, withinDays }, saved);
			const isEvent = accessEnding.isEvent?.(saved, String(found?.content));
			saved = found?.content;
			return isEvent ? found?.toItem?.() : undefined;
		});
	};
	const ending = (endsOn: string, daysLeft: number) => ({ endsOn, daysLeft });
	const end = '2026-05-10';

	it.each<[string, Parameters<typeof poll>, unknown[]]>([
		[
			'once for each end, also one that approaches again',
			[
				['2026-05-01', end],
				['2026-05-03', end],
				['2026-05-04', end],
				['2026-05-04', '2026-06-20'],
				['2026-05-05', end],
			],
			[undefined, ending(end, 7), undefined, undefined, ending(end, 5)],
		],
		[
			'not where it has no end, or one that has passed',
			[
				['2026-05-01', null],
				['2026-05-11', end],
			],
			[undefined, undefined],
		],
		['on the last day', [['2026-05-10', end, 0]], [ending(end, 0)]],
		[
			'not again with fewer days and more',
			[
				['2026-05-05', end],
				['2026-05-05', end, 3],
				['2026-05-05', end, 7],
			],
			[ending(end, 5), undefined, undefined],
		],
		[
			'with more days',
			[
				['2026-05-01', end],
				['2026-05-01', end, 40],
			],
			[undefined, ending(end, 9)],
		],
		[
			'late, where no poll ran',
			[
				['2026-04-01', end],
				['2026-05-12', end],
				['2026-05-13', end],
			],
			[undefined, ending(end, -2), undefined],
		],
		[
			'not where somebody moved the end into the past',
			[
				['2026-05-01', '2026-06-20'],
				['2026-05-12', end],
			],
			[undefined, undefined],
		],
		[
			'by the day that the service shows',
			[['2026-05-09', `${end}T00:30:00+14:00`]],
			[ending(end, 1)],
		],
	])('starts the workflow %s', (_what, polls, expected) => {
		expect(poll(...polls)).toEqual(expected);
	});

	it.each(['soon', '12/31/2099'])('does not guess what %j is', (odd) => {
		expect(() => poll(['2026-05-01', odd])).toThrow('"time" in a form');
	});
});
