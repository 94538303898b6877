import { mockService } from '../../support/nock.cts';
import { CHANGES, OPERATIONS, PICKERS, pollsOf } from './support/operations.cts';
import { ERRORS, FAILURES, SUCCESSES } from './support/failures.cts';

const service = mockService();

const respond = (method: string, status: number, body: string, type = 'application/json') =>
	service.scope().intercept(/.*/, method).reply(status, body, { 'content-type': type });

const tellsOf = (error: { message: string; description?: string | null } | undefined) =>
	`${error?.message} ${error?.description ?? ''}`;

describe.each([...OPERATIONS, ...pollsOf(service), ...PICKERS])(
	'an error that $call receives',
	({ method, run }) => {
		it.each(ERRORS)('is told in the words of $stack: $shape', async (row) => {
			respond(method, row.status, row.body, row.type);

			const { error, items } = await run();

			expect(tellsOf(error)).toMatch(row.told);
			expect(items).toEqual([]);
			expect(service.requests).toHaveLength(1);
		});
	},
);

describe.each([...OPERATIONS, ...CHANGES, ...pollsOf(service), ...PICKERS])(
	'a failure with a status of success that $call receives',
	({ call, method, run }) => {
		it.each(FAILURES)('is an error, from $stack: $shape', async (row) => {
			respond(method, row.status, row.body);

			const { error, items } = await run();

			expect(tellsOf(error)).toMatch(/returned/);
			// What is no list at all is described by its fields.
			const isDescribed = /a JSON object with the fields|instead of a list/.test(tellsOf(error));
			if (!isDescribed || !/getAll|sync|trigger|search/.test(call)) {
				expect(tellsOf(error)).toMatch(row.told);
			}
			expect(items).toEqual([]);
			expect(service.requests).toHaveLength(1);
		});
	},
);

describe.each(CHANGES)('a response without a record that $call receives', ({ method, run }) => {
	it.each(SUCCESSES)('is a success, from $stack: $shape', async ({ status, body }) => {
		respond(method, status, body);

		const { error, items } = await run();

		expect(error?.message).toBeUndefined();
		expect(items).toHaveLength(1);
	});
});
