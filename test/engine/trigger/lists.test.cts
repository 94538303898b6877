import { NodeApiError, type IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { pollingsOf } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

const LIST = '/api/v1/users/user-1/containers';

const uuids = (items: IDataObject[]) => items.map(({ uuid }) => uuid);

describe('a list', () => {
	const plain = ['a', 'b'].map((uuid) => ({ uuid, name: uuid }));
	const envelopes = plain.map((container) => ({ org_id: 'user-1', container }));

	it.each([
		['an array of records', plain],
		['an array of envelopes', envelopes],
		['records under containers', { containers: plain, total: 2 }],
		['envelopes under data', { data: envelopes }],
		['a list one level deeper', { data: { items: plain } }],
		['plain identifiers', ['a', 'b']],
		['entries among nulls', [null, plain[0], null, plain[1]]],
	])('can be %s', async (_shape, response) => {
		const polling = start('containerCreated');
		await polling.poll({ containers: plain.slice(0, 1) });
		const { emitted, error } = await polling.poll({ containers: response });

		expect(error).toBeUndefined();
		expect(emitted).toHaveLength(1);
		expect(JSON.stringify(emitted[0])).toContain('b');
		expect((await polling.poll({ containers: plain })).items).toBeNull();
	});

	it.each([
		['text', 'Hello'],
		['an object without a list', { message: 'Hello' }],
		['an HTML page', '<html><body>Portal</body></html>'],
		['incomplete JSON', '[{"uuid":"a"},'],
		['a list whose entries have no identifier', [{ title: 'a' }, { title: 'b' }]],
	])('that is %s fails the poll and does not change the state', async (_shape, response) => {
		const polling = start('containerDeleted');
		await polling.poll({ containers: plain });
		const before = structuredClone(polling.staticData);

		const { error, items } = await polling.poll({ containers: response });

		expect(error).toBeInstanceOf(NodeApiError);
		expect(items).toBeNull();
		expect(polling.staticData).toEqual(before);
	});

	describe('of several pages', () => {
		const page = (number: number, uuid: string, next?: number, status = 200) =>
			service
				.scope()
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
