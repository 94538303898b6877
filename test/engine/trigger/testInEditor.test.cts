import { NodeApiError } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import {
	pollingsOf,
	containers,
	createdItems,
	dayFromNow,
	createIds,
} from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

describe('a test in the editor', () => {
	const manual = { mode: 'manual' as const };
	const seven = createIds(7);

	it.each([
		['containerCreated', createdItems(...seven.slice(0, 5))],
		[
			'containerDeleted',
			seven.slice(0, 5).map((id) => ({ containerId: id, name: `Name of ${id}` })),
		],
	])('shows a few containers as %s would emit them', async (event, expected) => {
		const list = { containers: containers(...seven) };
		const { emitted, staticData } = await start(event).poll(list, manual);

		const sample = expect.stringContaining('an example') as string;
		expect(emitted).toEqual(expected.map((item) => ({ sample, ...item })));
		expect(staticData).toEqual({});
	});

	it('shows the newest', async () => {
		const list = [12, 19, 11, 18, 17, 14, 16].map((day) => ({
			uuid: `c-${day}`,
			created_date: `2026-11-${day}T08:00:00.000Z`,
		}));

		const { emitted } = await start('containerCreated').poll({ containers: list }, manual);

		const shown = emitted.map(({ uuid }) => uuid);
		expect(shown).toEqual(['c-19', 'c-18', 'c-17', 'c-16', 'c-14']);
	});

	it.each([
		['contactCreated', { email: 'a@example.com', company: 'X' }],
		['contactChanged', { email: 'a@example.com', company: 'X' }],
		['contactDeleted', { email: 'a@example.com' }],
	])('shows contacts as %s would emit them', async (event, expected) => {
		const contacts = [{ email: 'a@example.com', company: 'X' }];
		const { emitted, staticData } = await start(event).poll({ contacts }, manual);

		expect(emitted).toEqual([{ sample: expect.stringMatching(/example/), ...expected }]);
		expect(Object.keys(emitted[0])[0]).toBe('sample');
		expect(staticData).toEqual({});
	});

	it('shows the rules of only a few containers', async () => {
		const many = createIds(300);
		const rules = Object.fromEntries(many.slice(0, 50).map((id) => [id, { opens: 3 }]));

		const { emitted } = await start('drmChanged', { options: { maxConcurrent: 1 } }).poll(
			{ containers: containers(...many), rules },
			manual,
		);

		expect(emitted).toHaveLength(5);
		expect(emitted[0]).toEqual({
			sample: expect.stringContaining('an example'),
			containerId: 'c-1',
			name: 'Name of c-1',
			changedRules: ['opens'],
			added: { recipients: [] },
			rules: { opens: 3 },
		});
	});

	it('shows only access that ends within the chosen days', async () => {
		const rules = Object.fromEntries(
			[-1, 0, 7, 8, 40].map((days) => [String(days), { time: { end: dayFromNow(days, 'UTC') } }]),
		);
		const { emitted } = await start('accessEnding', { withinDays: 7 }, { timezone: 'UTC' }).poll(
			{ containers: containers('none', ...Object.keys(rules)), rules: { none: {}, ...rules } },
			manual,
		);

		expect(emitted).toEqual(
			[0, 7].map((daysLeft) => ({
				sample: expect.stringContaining('an example'),
				containerId: String(daysLeft),
				name: `Name of ${daysLeft}`,
				endsOn: dayFromNow(daysLeft, 'UTC'),
				daysLeft,
				rules: { time: { end: dayFromNow(daysLeft, 'UTC') } },
			})),
		);
	});

	const noRules = { containers: containers('a'), rules: { a: {} } };
	it.each([
		['containerCreated', { containers: [] }, 'Container Created'],
		['contactDeleted', { contacts: [] }, 'Contact Deleted'],
		['accessEnding', noRules, 'Access Ending'],
		['drmChanged', { containers: [] }, 'Access Rules Changed'],
	])('says so when there is nothing for %s', async (event, responses, name) => {
		const { error, items } = await start(event).poll(responses, manual);

		expect(items).toBeNull();
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error?.message).toBe(`There is nothing to show for "${name}" yet`);
		expect((error as NodeApiError).description).toContain('Activate the workflow');
	});

	it('keeps the state of an active workflow', async () => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a') });
		const before = structuredClone(polling.staticData);

		await polling.poll({ containers: containers('a', 'b') }, manual);

		expect(polling.staticData).toEqual(before);
		const { emitted } = await polling.poll({ containers: containers('a', 'b') });
		expect(emitted).toEqual(createdItems('b'));
	});
});
