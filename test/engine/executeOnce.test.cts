import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { encode, envelope, path } from './support/encode.cts';
import { contactEmail, containerId, itemsWith, userId } from './support/operations.cts';

const service = mockService();

describe('Execute Once with several input items', () => {
	it.each([
		['container', 'get', { containerId: containerId('={{ $json.id }}') }, '/containers/c-1'],
		['drm', 'get', { containerId: containerId('={{ $json.id }}') }, '/containers/c-1/drm'],
		[
			'contact',
			'get',
			{ contactEmail: contactEmail('={{ $json.id }}@example.com'), options: { userId } },
			`/users/${userId}/contacts/c-1%40example.com`,
		],
	])('runs %s: %s for the first item', async (resource, operation, parameters, expected) => {
		service.get(expected).reply(200, { opens: 3 });

		const { items, error } = await runNode({
			parameters: { resource, operation, ...parameters },
			items: itemsWith('c-1', 'c-2', 'c-3'),
			executeOnce: true,
		});

		expect(error).toBeUndefined();
		expect(items).toEqual([
			expect.objectContaining({
				json: expect.objectContaining({ opens: 3 }),
				pairedItem: { item: 0 },
			}),
		]);
		expect(service.requests).toHaveLength(1);
	});

	it('deletes the first container only', async () => {
		service.delete('/containers/c-1').reply(204);

		const { items } = await runNode({
			parameters: {
				resource: 'container',
				operation: 'delete',
				containerId: containerId('={{ $json.id }}'),
			},
			items: itemsWith('c-1', 'c-2'),
			executeOnce: true,
		});

		expect(items.map(({ json }) => json)).toEqual([expect.objectContaining({ deleted: true })]);
		expect(service.requests).toHaveLength(1);
	});

	it.each(['perItem', 'allItems'])(
		'never leaves out the files of other items: %s',
		async (mode) => {
			if (mode === 'perItem') service.post(path).reply(200, envelope);

			const { items, error } = await encode(
				{ containerMode: mode, textContent: '={{ $json.id }}', name: 'Invoice' },
				{},
				{ items: itemsWith('One', 'Two', 'Three'), executeOnce: true },
			);

			if (mode === 'perItem') expect(items).toHaveLength(1);
			else
				expect(error?.message).toMatch(
					/needs all input items, but "Execute Once" is on \[item 0\]/,
				);
		},
	);
});
