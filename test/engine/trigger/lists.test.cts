import { NodeApiError, type IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { pollingsOf } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

const LIST = '/api/v1/users/user-1/containers';

const uuids = (items: IDataObject[]) => items.map(({ uuid }) => uuid);

describe('a list', () => {
	it.each<[string, unknown]>([
		['text', 'Hello'],
		['incomplete JSON', '[{"uuid":"a"},'],
		['a list whose entries have no identifier', [{ title: 'a' }, { title: 'b' }]],
		['nothing (204)', { status: 204 }],
		['an empty body', { status: 200, body: '' }],
		['null', { status: 200, body: 'null' }],
		[
			'an error beside an empty list',
			{ status: 200, body: { containers: [], contacts: [], error: 'storage is down' } },
		],
		['success: false', { status: 200, body: { success: false, data: [] } }],
		['a page', { status: 200, body: '<!doctype html><title>Sign in</title>' }],
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

	describe('of several pages', () => {
		const page = (number: number, uuid: string, next?: number, status = 200) =>
			service
				.get(`${LIST.replace('/api/v1', '')}?page=${number}`)
				.reply(
					status,
					[{ uuid }],
					next === undefined ? {} : { link: `<${LIST}?page=${next}>; rel="next"` },
				);
		const first = {
			status: 200,
			body: [{ uuid: 'a' }],
			headers: { link: `<${LIST}?page=2>; rel="next"` },
		};

		it('is fetched completely', async () => {
			const polling = start('containerCreated');
			page(2, 'b', 3);
			page(3, 'c');
			await polling.poll({ containers: first });
			page(2, 'b', 3);
			page(3, 'c', 4);
			page(4, 'd');

			expect(uuids((await polling.poll({ containers: first })).emitted)).toEqual(['d']);
		});

		it('fails the poll and does not change the state when a page cannot be fetched', async () => {
			const polling = start('containerDeleted');
			page(2, 'b');
			await polling.poll({ containers: first });
			const before = structuredClone(polling.staticData);
			page(2, 'b', undefined, 500);

			const { error } = await polling.poll({ containers: first });

			expect(error).toBeInstanceOf(NodeApiError);
			expect(polling.staticData).toEqual(before);
		});
	});
});
