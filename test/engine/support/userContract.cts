import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode } from '../../support/engine.cts';
import type { MockedService } from '../../support/nock.cts';
import { newKey, sequential } from './parameters.cts';

/** An operation whose path contains a user. */
export interface UserOperation {
	/** Parameters that use nothing of the item. */
	parameters: INodeParameters;
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	path: (userId: string) => string;
	response: IDataObject | IDataObject[];
}

type Method = 'get' | 'post' | 'patch' | 'delete';

/**
 * What each operation on a user's records promises: it uses the API key's user, unless another is set.
 *
 * @param isWhole also with each form of a user and of the option, which is the same code for all operations
 */
export function describeUserContract(
	service: MockedService,
	{ parameters, method, path, response }: UserOperation,
	isWhole = false,
): void {
	const withUser = (userId?: unknown) =>
		({
			...parameters,
			options: { ...sequential, ...(userId === undefined ? {} : { userId }) },
		}) as INodeParameters;
	const expectFor = (userId: string, times = 1) =>
		service.scope()[method.toLowerCase() as Method](path(userId)).times(times).reply(200, response);
	const threeItems = [{ json: {} }, { json: {} }, { json: {} }];
	const userRequestCount = () =>
		service.requests.filter((request) => request.path === '/api/v1/me').length;

	describe('the user', () => {
		it('of the API key is fetched once for all items, and not again in the next execution', async () => {
			const credentials = newKey();
			service.scope().get('/me').reply(200, { id: 'user?7', email: 'ada@example.com' });
			expectFor('user%3F7', 4);

			const first = await runNode({ parameters: withUser(), items: threeItems, credentials });
			expect(first.error).toBeUndefined();
			expect(userRequestCount()).toBe(1);

			const second = await runNode({ parameters: withUser(''), credentials });
			expect(second.error).toBeUndefined();
			expect(userRequestCount()).toBe(1);
		});

		it.each(
			[
				['text', ' user-5 ', 'user-5'],
				['a number from an expression', '={{ 5 }}', '5'],
				['an expression for each item', '={{ $itemIndex === 0 ? "user-5" : "user-6" }}', 'user-5'],
			].slice(0, isWhole ? undefined : 1),
		)('that is set is used without a request for the user: %s', async (_how, userId, segment) => {
			expectFor(segment);

			const { error } = await runNode({
				parameters: withUser(userId),
				credentials: newKey(),
			});

			expect(error).toBeUndefined();
			expect(userRequestCount()).toBe(0);
		});

		if (!isWhole) return;

		it('of another API key is fetched again', async () => {
			for (const id of ['user-8', 'user-9']) {
				service.scope().get('/me').reply(200, { id });
				expectFor(id);
				const { error } = await runNode({ parameters: withUser(), credentials: newKey() });
				expect(error).toBeUndefined();
			}
		});

		it('is fetched again in the next execution after a failure, which all items share', async () => {
			const credentials = newKey();
			service.scope().get('/me').reply(503, {});

			const failed = await runNode({
				parameters: withUser(),
				items: threeItems,
				credentials,
				onError: 'continueRegularOutput',
			});
			expect(failed.items).toHaveLength(3);
			for (const { json } of failed.items)
				expect(json.error).toMatch(/find the user of the API key/);

			service.scope().get('/me').reply(200, { id: 'user-8' });
			expectFor('user-8');
			const { error } = await runNode({ parameters: withUser(), credentials });
			expect(error).toBeUndefined();
		});

		it.each([
			['no id', { email: 'ada@example.com' }, /instead of a user with an id/],
			['an empty id', { id: '' }, /instead of a user with an id/],
			['an id that is an object', { id: {} }, /instead of a user with an id/],
			['a list', [], /instead of a JSON object/],
		])('must be valid: a response with %s is an error', async (_what, body, message) => {
			service.scope().get('/me').reply(200, body);

			const { error } = await runNode({ parameters: withUser(), credentials: newKey() });

			expect(error?.message).toMatch(message);
		});

		it('can have a number as id', async () => {
			service.scope().get('/me').reply(200, { id: 42 });
			expectFor('42');

			const { error } = await runNode({ parameters: withUser(), credentials: newKey() });

			expect(error).toBeUndefined();
		});
	});
}
