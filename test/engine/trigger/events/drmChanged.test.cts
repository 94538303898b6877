import { mockService } from '../../../support/nock.cts';
import {
	containers,
	pollingsOf,
	describeScenarios,
	includeExisting,
	setParameters,
	listRules,
	type Scenario,
} from '../../support/polling.cts';

const service = mockService();

const drmChangedScenarios: Scenario[] = [
	{
		event: 'drmChanged',
		scenario: 'one deleted between list and rules',
		polls: [
			listRules({ a: { opens: 1 }, b: { opens: 1 } }),
			listRules({ a: { opens: 2 }, b: { status: 404 } }),
			listRules({ a: { opens: 2 } }),
			listRules({ a: { status: 410 } }),
		],
		expected: [[], ['a'], [], []],
	},
	{
		event: 'drmChanged',
		scenario: 'a name filter: the rules of other containers are not fetched',
		parameters: { nameContains: ' NAME of ? ' },
		polls: [
			{
				containers: [...containers('a'), { uuid: 'b', name: 'Other' }],
				rules: { a: { opens: 1 } },
			},
			{
				containers: [...containers('a'), { uuid: 'b', name: 'Other' }],
				rules: { a: { opens: 2 } },
			},
		],
		expected: [[], ['a']],
	},
	{
		event: 'drmChanged',
		scenario: 'another filter includes existing records again',
		parameters: { nameContains: 'of a', ...includeExisting },
		polls: [
			{ containers: containers('a', 'b'), rules: { a: { opens: 1 } } },
			setParameters({ nameContains: '' }),
			listRules({ a: { opens: 1 }, b: {} }),
			listRules({ a: { opens: 1 }, b: {} }),
		],
		expected: [['a'], ['a', 'b'], []],
	},
];

describeScenarios(service, drmChangedScenarios);

/** The items of a poll with these rules, after one with the others. */
async function pollChange(before: object, after: object, options = {}) {
	const polling = pollingsOf(service)('drmChanged', { options: { maxRetries: 0, ...options } });
	await polling.poll({ containers: containers('a'), rules: { a: before } });
	const poll = await polling.poll({ containers: containers('a'), rules: { a: after } });
	expect(poll.error).toBeUndefined();
	return { ...poll, polling };
}

const full = {
	dynamic: true,
	downloadable: false,
	opens: 3,
	recipients: ['Ann@x.example', 'bob@m\u00fcnchen.example'],
	geo: { allow: [{ country: 'CH' }, { country: 'AT' }] },
	ip: { allow: ['2001:db8::A'] },
	time: { end: '2099-12-31' },
};

describe('access rules', () => {
	it.each<[string, object, object]>([
		[
			'doubles, another order and other forms of the addresses',
			full,
			{ ...full, recipients: ['bob@xn--mnchen-3ya.example', 'ANN@x.example', 'Ann@x.example'] },
		],
		[
			'recipients as objects',
			full,
			{ ...full, recipients: full.recipients.map((email) => ({ email, name: 'X' })) },
		],
		[
			'another order of the countries',
			full,
			{ ...full, geo: { allow: [{ country: 'AT' }, { country: 'CH' }] } },
		],
		[
			'nothing at all',
			{ drm: {} },
			{ drm: { opens: null, recipients: [], time: { start: null } } },
		],
	])('are the same with %s', async (_what, before, after) => {
		expect((await pollChange(before, after)).items).toBeNull();
	});

	it.each([
		['opens', { ...full, opens: 0 }],
		['dynamic', { ...full, dynamic: false }],
		['recipients', { ...full, recipients: ['ann@x.example'] }],
		['geo', { ...full, geo: { block: full.geo.allow } }],
		['time', { ...full, time: { start: '2099-01-01', end: '2099-12-31' } }],
	])('have changed with other %s', async (name, rules) => {
		const { emitted } = await pollChange(full, rules);

		expect(emitted).toEqual([expect.objectContaining({ changedRules: [name] })]);
	});
});

describe('what changed', () => {
	const after = { opens: 3, recipients: ['ANN@x.example', 'new@x.example', 'New@X.example'] };
	const added = { recipients: ['New@X.example'] };

	it('is the recipients that came, of which the state contains hashes', async () => {
		const { emitted, polling } = await pollChange({ ...full, opens: 5 }, after);

		expect(emitted).toStrictEqual([
			{
				containerId: 'a',
				name: 'Name of a',
				changedRules: ['dynamic', 'geo', 'ip', 'opens', 'time', 'downloadable', 'recipients'],
				added,
				rules: after,
			},
		]);
		expect(JSON.stringify(polling.staticData)).not.toMatch(/example|Name/i);
	});

	it('is also the rules before, and who went, with Include Previous Rules', async () => {
		const { emitted, polling } = await pollChange(full, after, { includePreviousRules: true });

		expect(emitted).toEqual([
			expect.objectContaining({
				added,
				removed: { recipients: ['bob@m\u00fcnchen.example'] },
				before: full,
			}),
		]);
		// Neither option is an event, and both are known at once.
		polling.set({ options: { maxRetries: 0 } });
		const same = { containers: containers('a'), rules: { a: after } };
		expect((await polling.poll(same)).items).toBeNull();
		polling.set({ options: { maxRetries: 0, includePreviousRules: true } });
		const other = await polling.poll({ ...same, rules: { a: { ...after, opens: 9 } } });
		expect(other.emitted).toStrictEqual([
			{
				containerId: 'a',
				name: 'Name of a',
				changedRules: ['opens'],
				added: { recipients: [] },
				rules: { ...after, opens: 9 },
			},
		]);
		const last = await polling.poll({ ...same, rules: { a: after } });
		expect(last.emitted[0]).toMatchObject({
			removed: { recipients: [] },
			before: { ...after, opens: 9 },
		});
	});
});
