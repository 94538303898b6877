import type { INodeParameters } from 'n8n-workflow';
import { runNode } from '../../support/engine.cts';
import type { MockedService } from '../../support/nock.cts';
import { withOptions } from './parameters.cts';
import { headersOf, plainDeletions, unclearDeletions, unusableResponses } from './shapes.cts';

/** An operation that deletes what `$json.id` names. */
export interface Deletion {
	parameters: INodeParameters;
	path: (segment: string) => string;
	id: string;
	/** The field of the output that names what was deleted. */
	idField: 'containerId' | 'email';
	notFound: string;
}

/** What both delete operations promise for every response of the service. */
export function describeDeletionContract(
	service: MockedService,
	{ parameters, path, id, idField, notFound }: Deletion,
): void {
	const remove = async (value: string, maxRetries = 0) =>
		await runNode({
			parameters: withOptions(parameters, { maxRetries }),
			items: [{ json: { id: value } }],
		});
	const segment = encodeURIComponent(id);

	describe('deleting', () => {
		it.each(plainDeletions)('succeeds when the service responds with $shape', async (shape) => {
			service.scope().delete(path(segment)).reply(shape.status, shape.body, headersOf(shape));

			const { items, error } = await remove(id);

			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json)).toEqual([{ deleted: true, [idField]: id }]);
			expect(service.requests).toMatchObject([{ method: 'DELETE', body: '' }]);
		});

		it.each(unclearDeletions)('is checked when the service responds with $shape', async (shape) => {
			for (const status of [404, 200]) {
				service.scope().delete(path(segment)).reply(shape.status, shape.body, headersOf(shape));
				service.scope().get(path(segment)).reply(status, { name: 'N' });
			}

			expect(await remove(id)).toMatchObject({
				error: undefined,
				items: [{ json: { deleted: true, [idField]: id } }],
			});
			const { error, items } = await remove(id);
			expect(error?.message).toMatch(/does not confirm it, and the record is still there/);
			expect(items).toEqual([]);
		});

		it.each(unusableResponses)('fails when the service responds with $shape', async (shape) => {
			service.scope().delete(path(segment)).reply(shape.status, shape.body, headersOf(shape));

			const { error } = await remove(id);

			expect(error?.message).toMatch(shape.message);
		});

		it('states what the service did not accept', async () => {
			service.scope().delete(path(segment)).reply(422, '');

			const { error } = await remove(id);

			expect(error?.message).toMatch(
				/did not accept the request to delete the (container|contact)/,
			);
		});

		it('names what was not found', async () => {
			service.scope().delete(path(segment)).reply(404, { message: 'Unknown' });

			const { error } = await remove(id);

			expect(error?.message).toContain(notFound);
		});

		it.each([404, 410])(
			'succeeds when the record is gone (%i) after an attempt with an unknown outcome',
			async (status) => {
				service.scope().delete(path(segment)).reply(504, '');
				service.scope().delete(path(segment)).reply(status, { message: 'Unknown' });

				const { items, error } = await remove(id, 1);

				expect(error).toBeUndefined();
				expect(items[0].json).toEqual({ deleted: true, [idField]: id });
			},
		);

		it('fails when it is refused after an attempt with an unknown outcome', async () => {
			service.scope().delete(path(segment)).reply(504, '');
			service.scope().delete(path(segment)).reply(403, { message: 'No' });

			const { items, error } = await remove(id, 1);

			expect(error?.httpCode).toBe('403');
			expect(items).toEqual([]);
		});

		it('fails when the record was gone before the first processed attempt', async () => {
			service.scope().delete(path(segment)).reply(429, '', { 'retry-after': '0' });
			service.scope().delete(path(segment)).reply(404, { message: 'Unknown' });

			const { error } = await remove(id, 1);

			expect(error?.message).toContain(notFound);
		});
	});
}
