import { mockService } from '../../support/nock.cts';
import { CHANGES, OPERATIONS, PICKERS, pollsOf } from './support/operations.cts';
import { FAILURES, SUCCESSES } from './support/failures.cts';

const service = mockService();

const respond = (method: string, status: number, body: string) =>
	service
		.scope()
		.intercept(/.*/, method)
		.reply(status, body, { 'content-type': 'application/json' });

describe.each([...OPERATIONS, ...CHANGES, ...pollsOf(service), ...PICKERS])(
	'what $call receives',
	({ method, run }) => {
		it.each(FAILURES)('is an error: $shape', async ({ status, body, told }) => {
			respond(method, status, body);

			const { error, items } = await run();

			expect(`${error?.message} ${error?.description ?? ''}`).toMatch(told);
			expect(items).toEqual([]);
			expect(service.requests).toHaveLength(1);
		});
	},
);

describe.each(CHANGES)('a response without a record that $call receives', ({ method, run }) => {
	it.each(SUCCESSES)('is a success: $shape', async ({ status, body }) => {
		respond(method, status, body);

		const { error, items } = await run();

		expect(error?.message).toBeUndefined();
		expect(items).toHaveLength(1);
	});
});
