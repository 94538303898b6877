import { mockService } from '../../../support/nock.cts';
import { encode, envelope, path } from '../../support/encode.cts';

const service = mockService();

describe('many texts in one container', () => {
	const measure = async (count: number): Promise<number> => {
		service.scope().post(path).reply(200, envelope);
		const startedAt = performance.now();
		const { error } = await encode(
			{ containerMode: 'allItems', textContent: '={{ $json.id }}', name: 'Report' },
			{},
			{ items: Array.from({ length: count }, (_value, id) => ({ json: { id: `text ${id}` } })) },
		);
		expect(error).toBeUndefined();
		return performance.now() - startedAt;
	};

	it('take time in proportion to their number', async () => {
		await measure(100);
		const few = await measure(500);
		const many = await measure(3000);

		expect(many / few).toBeLessThan(12);
	}, 120_000);
});
