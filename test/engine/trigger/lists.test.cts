import { NodeApiError, type IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { containers, createdItems, createIds, pollingsOf } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

describe('a list', () => {
	it.each<[string, unknown]>([
		['a list whose entries have no identifier', [{ title: 'a' }, { title: 'b' }]],
		['nothing (204)', { status: 204 }],
	])('that is %s fails the poll and does not change the state', async (_shape, response) => {
		for (const event of ['containerDeleted', 'contactCreated']) {
			const list = event.startsWith('contact') ? 'contacts' : 'containers';
			const existing = list === 'contacts' ? [{ email: 'a@example.com' }] : ['a'];
			const polling = start(event);
			await polling.poll({ [list]: existing });
			const before = structuredClone(polling.staticData);

			const { error, items } = await polling.poll({ [list]: response });

			expect(error).toBeInstanceOf(NodeApiError);
			expect(items).toBeNull();
			expect(polling.staticData).toEqual(before);
		}
	});

	it.each([
		['containerCreated', { containers: [{ uuid: 'x'.repeat(2001), name: 'Long' }] }],
		['contactDeleted', { contacts: [{ email: `${'x'.repeat(2001)}@example.com` }] }],
	])('with an ID of more than 2,000 characters is refused: %s', async (event, responses) => {
		const { error, staticData } = await start(event).poll(responses);

		expect(error?.message).toMatch(/^The service returned an ID with 20\d\d characters$/);
		expect((error as NodeApiError).description).toMatch(/begins with "x{100}"\. .* 2000 /);
		expect(staticData).toEqual({});
	});
});

describe('what is missing from the list', () => {
	it('is looked for in the next poll, where one does not get to it', async () => {
		const ids = createIds(1010);
		const polling = start('containerDeleted');
		await polling.poll({ containers: ids });

		const first = await polling.poll({ containers: [], deleted: ids.slice(0, 1000) });
		const second = await polling.poll({ containers: [], deleted: ids.slice(1000) });

		expect([first.emitted.length, second.emitted.length]).toEqual([1000, 10]);
		expect((await polling.poll({ containers: [] })).items).toBeNull();
	}, 120_000);

	it.each([500, 404, 401])(
		'is kept and logged when the response about it is no answer about it: %i',
		async (status) => {
			const odd = { a: { status, body: '<html>Portal</html>' } };
			const polling = start('containerDeleted');
			await polling.poll({ containers: ['a', 'b'] });

			const polls = [
				await polling.poll({ containers: ['b', 'c'], confirmations: odd }),
				await polling.poll({ containers: ['b'], confirmations: odd, deleted: ['c'] }),
				await polling.poll({ containers: ['b'], deleted: ['a'] }),
			];

			expect(polls.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
			expect(polls.map(({ emitted }) => emitted.map(({ containerId }) => containerId))).toEqual([
				[],
				['c'],
				['a'],
			]);
			const warnings = polls.map(({ log }) =>
				log.filter((line) => line.includes('Nobody can tell')),
			);
			expect(warnings).toEqual([
				[expect.stringContaining('existing: a (')],
				[expect.anything()],
				[],
			]);
		},
	);

	it('is kept as a hash, and not asked for, where this process has not seen it', async () => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a', 'b') });
		// As if n8n had been restarted: only the process that polled before knows the IDs.
		const more = { workflowId: 'another-process' };

		const polls = [
			await polling.poll({ containers: containers('a') }, more),
			await polling.poll({ containers: containers('a', 'b', 'c') }, more),
		];

		expect(polls.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(polls.map(({ emitted }) => emitted)).toEqual([[], createdItems('c')]);
	});

	it('is neither deleted nor new when pages shift while they are fetched', async () => {
		const list = '/api/v1/users/user-1/containers';
		const page = (...ids: string[]) => ({
			status: 200,
			body: ids,
			headers: { link: `<${list}?page=2>; rel="next"` },
		});
		const second = (...ids: string[]) =>
			service.get('/users/user-1/containers?page=2').reply(200, ids);
		const events = ['containerDeleted', 'containerCreated'].map((event) => start(event));
		const emitted: IDataObject[] = [];
		for (const polling of events) {
			second('c', 'd');
			await polling.poll({ containers: page('a', 'b') });
			// After the first page, a was deleted: c moves to the page that was fetched already.
			second('d');
			emitted.push(
				...(await polling.poll({ containers: page('a', 'b'), existing: ['c'] })).emitted,
			);
			second('d');
			const { emitted: items } = await polling.poll({
				containers: page('b', 'c'),
				deleted: ['a'],
			});
			emitted.push(...items);
		}

		expect(emitted).toEqual([{ containerId: 'a' }]);
	});
});
