import { NodeApiError } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { pollingsOf, containers, dayFromNow, createIds } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

describe('a test in the editor', () => {
	const manual = { mode: 'manual' as const };
	const seven = createIds(7);

	it.each([
		['containerCreated', containers(...seven.slice(0, 5))],
		[
			'containerDeleted',
			seven.slice(0, 5).map((id) => ({ containerId: id, name: `Name of ${id}` })),
		],
	])('shows a few containers as %s would emit them', async (event, expected) => {
		const polling = start(event);
		const { emitted, staticData } = await polling.poll(
			{ containers: containers(...seven) },
			manual,
		);

		expect(emitted).toEqual(expected);
		expect(staticData).toEqual({});
	});

	it.each([
		['contactCreated', { email: 'a@example.com', company: 'X' }],
		['contactChanged', { email: 'a@example.com', company: 'X' }],
		['contactDeleted', { email: 'a@example.com' }],
	])('shows contacts as %s would emit them', async (event, expected) => {
		const contacts = [{ email: 'a@example.com', company: 'X' }];
		const { emitted, staticData } = await start(event).poll({ contacts }, manual);

		expect(emitted).toEqual([expected]);
		expect(staticData).toEqual({});
	});

	it('shows the rules of only a few containers', async () => {
		const many = createIds(300);
		const rules = Object.fromEntries(many.slice(0, 10).map((id) => [id, { opens: 3 }]));

		const { emitted } = await start('drmChanged').poll(
			{ containers: containers(...many), rules },
			manual,
		);

		expect(emitted).toHaveLength(5);
		expect(emitted[0]).toEqual({
			containerId: 'c-1',
			name: 'Name of c-1',
			changedRules: ['opens'],
			rules: { opens: 3 },
		});
	});

	it('shows an end of access, even a distant one', async () => {
		const end = dayFromNow(90, 'UTC');
		const { emitted } = await start('accessEnding', {}, { timezone: 'UTC' }).poll(
			{ containers: containers('a', 'b'), rules: { a: {}, b: { time: { end } } } },
			manual,
		);

		expect(emitted).toEqual([
			{
				containerId: 'b',
				name: 'Name of b',
				endsOn: end,
				daysLeft: 90,
				rules: { time: { end } },
			},
		]);
	});

	it.each([
		['containerCreated', { containers: [] }, 'no container'],
		['contactDeleted', { contacts: [] }, 'no contact'],
		['accessEnding', { containers: containers('a'), rules: { a: {} } }, 'an end date'],
	])('says so when there is nothing for %s', async (event, responses, text) => {
		const { error, items } = await start(event).poll(responses, manual);

		expect(items).toBeNull();
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error?.message).toContain(text);
		expect((error as NodeApiError).description).toContain('activate the workflow');
	});

	it('keeps the state of an active workflow', async () => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a') });
		const before = structuredClone(polling.staticData);

		await polling.poll({ containers: containers('a', 'b') }, manual);

		expect(polling.staticData).toEqual(before);
		const { emitted } = await polling.poll({ containers: containers('a', 'b') });
		expect(emitted).toEqual(containers('b'));
	});
});
