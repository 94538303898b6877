import { NodeApiError } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import {
	containers,
	createdItems,
	createIds,
	dayFromNow,
	pollingsOf,
} from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

const manual = { mode: 'manual' as const };
const sample = expect.stringContaining('an example') as string;

describe('a test in the editor', () => {
	const seven = createIds(7);
	const contacts = [{ email: 'a@example.com', company: 'X' }];
	const list = { containers: containers(...seven) };

	it.each([
		['containerCreated', list, createdItems(...seven.slice(0, 5))],
		[
			'containerDeleted',
			list,
			seven.slice(0, 5).map((id) => ({ containerId: id, name: `Name of ${id}` })),
		],
		['contactCreated', { contacts }, contacts],
		['contactChanged', { contacts }, contacts],
		['contactDeleted', { contacts }, [{ email: 'a@example.com' }]],
	])(
		'shows what exists as %s would return it, and saves nothing',
		async (event, responses, items) => {
			const { emitted, staticData } = await start(event).poll(responses, manual);

			expect(emitted).toEqual(items.map((item) => ({ sample, ...item })));
			expect(Object.keys(emitted[0])[0]).toBe('sample');
			expect(staticData).toEqual({});
		},
	);

	it('shows the newest, and keeps the state of an active workflow', async () => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a') });
		const before = structuredClone(polling.staticData);
		const days = [12, 19, 11, 18, 17, 14, 16].map((day) => ({
			uuid: `c-${day}`,
			created_date: `2026-11-${day}T08:00:00.000Z`,
		}));

		const { emitted, staticData } = await polling.poll({ containers: days }, manual);

		const shown = emitted.map(({ uuid }) => uuid);
		expect(shown).toEqual(['c-19', 'c-18', 'c-17', 'c-16', 'c-14']);
		expect(staticData).toEqual(before);
	});

	it('reads the rules of only a few containers', async () => {
		const many = createIds(300);
		const rules = Object.fromEntries(many.slice(0, 50).map((id) => [id, { opens: 3 }]));

		const { emitted } = await start('drmChanged', { options: { maxConcurrent: 1 } }).poll(
			{ containers: containers(...many), rules },
			manual,
		);

		expect(emitted).toHaveLength(5);
		expect(emitted[0]).toEqual({
			...{ sample, containerId: 'c-1', name: 'Name of c-1', changedRules: ['opens'] },
			...{ added: { recipients: [] }, rules: { opens: 3 } },
		});
	});

	it('shows only access that ends within the chosen days', async () => {
		const rules = Object.fromEntries(
			[-1, 0, 7, 8].map((days) => [String(days), { time: { end: dayFromNow(days, 'UTC') } }]),
		);
		const { emitted } = await start('accessEnding', { withinDays: 7 }, { timezone: 'UTC' }).poll(
			{ containers: containers('none', ...Object.keys(rules)), rules: { none: {}, ...rules } },
			manual,
		);

		expect(emitted.map(({ daysLeft }) => daysLeft)).toEqual([0, 7]);
	});

	it.each([
		['contactDeleted', { contacts: [] }, 'Contact Deleted'],
		['accessEnding', { containers: containers('a'), rules: { a: {} } }, 'Access Ending'],
	])('says so when there is nothing for %s', async (event, responses, name) => {
		const { error, items } = await start(event).poll(responses, manual);

		expect(items).toBeNull();
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error?.message).toBe(`There is nothing to show for "${name}" yet`);
		expect((error as NodeApiError).description).toContain('Activate the workflow');
	});
});
