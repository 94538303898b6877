import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import {
	createApiError,
	createInputError,
	hasStatus,
	isNotFound,
	noteSentChange,
	ServiceError,
	toNodeApiError,
} from '../../../../nodes/shared/errors/errors';

const node = {
	name: 'Node',
	parameters: { resource: 'container', operation: 'get', containerPassword: 'hunter2' },
} as unknown as INode;
const create = (status: number) =>
	new ServiceError('It failed with ECONNRESET', 'Try again.', { kind: 'status', status });
const own = { message: 'It failed with ECONNRESET [item 3]', description: 'Try again.' };

it('the error of a request carries its words, its item, its status and its cause', () => {
	const error = createApiError(node, create(429), 3);

	expect(error).toBeInstanceOf(NodeApiError);
	const failure = { cause: 'rate-limited' };
	expect(error).toMatchObject({ ...own, context: { itemIndex: 3 }, httpCode: '429', failure });
	expect(toNodeApiError(error)).toBe(error);
	expect(createApiError(node, { message: 'It failed' })).toMatchObject({
		...{ message: 'It failed', description: undefined, httpCode: null },
	});
});

it('the error of input ends an execution as an error of the API, which n8n does not wrap', () => {
	const error = createInputError(node, create(404), 3);

	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error).toMatchObject({ ...own, context: { itemIndex: 3 } });
	const ending = toNodeApiError(error);
	expect(ending).toBeInstanceOf(NodeApiError);
	expect(ending).toMatchObject({ ...own, context: { itemIndex: 3 }, httpCode: null });
});

it.each([createApiError, createInputError])(
	'an error is plain text of limited length, and carries no parameter but what runs: %p',
	(createError) => {
		const text = `<b>\u0007\u202e\u2028\u2029 ${'x'.repeat(4000)}`;
		const plain = `‹b>  ${'x'.repeat(4000 - 8)}`;
		const error = createError(node, { message: text });

		expect(error.message).toBe(plain);
		expect(createError(node, { message: 'No', description: text }).description).toBe(plain);
		expect(error.node.parameters).toEqual({ resource: 'container', operation: 'get' });
	},
);

it('an error with more to say is still the same, and the first one is as it was', () => {
	const first = create(404);
	const error = noteSentChange(first);

	expect(error).toBeInstanceOf(ServiceError);
	expect(error).toMatchObject({
		message: first.message,
		description: expect.stringMatching(/^Try again\. The change was sent before this/) as string,
	});
	expect([isNotFound(error), hasStatus(error, 404), hasStatus(error, 500)]).toEqual([
		...[true, true, false],
	]);
	expect(first.description).toBe('Try again.');
	expect(isNotFound(Object.assign(new Error('It failed'), { isNotFound: true }))).toBe(false);
});
