import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import {
	createApiError,
	createInputError,
	hasStatus,
	isNotFound,
	toNodeApiError,
	withItemIndex,
} from '../../../../nodes/shared/errors/nodeErrors';

const node: INode = {
	id: '1',
	name: 'Node',
	type: 'test.node',
	typeVersion: 1,
	position: [0, 0],
	parameters: { resource: 'container', operation: 'get', containerPassword: 'hunter2' },
};
const failure = { cause: 'rate-limited' } as const;
const apiError = createApiError(node, {
	message: 'It failed with ECONNRESET',
	description: 'Try again.',
	status: 404,
	itemIndex: 12,
	failure,
});
const inputError = createInputError(node, {
	message: 'It is wrong',
	description: 'Change it.',
	itemIndex: 3,
});

describe('the error of a request', () => {
	it('carries its words, its item, its status and its cause', () => {
		expect(apiError).toBeInstanceOf(NodeApiError);
		expect(apiError.message).toBe('It failed with ECONNRESET [item 12]');
		expect(apiError.description).toBe('Try again.');
		expect(apiError.context.itemIndex).toBe(12);
		expect(apiError.httpCode).toBe('404');
		expect(apiError.failure).toEqual(failure);
	});

	it('has only what it was given', () => {
		const error = createApiError(node, { message: 'It failed' });

		expect(error.message).toBe('It failed');
		expect(error.description).toBeUndefined();
		expect(error.httpCode).toBeNull();
	});

	it('names another item that waited for the request, and keeps the rest', () => {
		const error = withItemIndex(apiError, 8) as NodeApiError;

		expect(error.message).toBe('It failed with ECONNRESET [item 8]');
		expect(error.description).toBe('Try again.');
		expect(error.context.itemIndex).toBe(8);
		expect(error.httpCode).toBe('404');
		expect(error.failure).toEqual(failure);
		expect(withItemIndex(apiError, 12)).toBe(apiError);
	});

	it('names an item at the end of its message alone', () => {
		const error = createApiError(node, { message: 'About " [item 1] of it"', itemIndex: 1 });

		expect(withItemIndex(error, 2).message).toBe('About " [item 1] of it" [item 2]');
	});

	it('has no status where there was no response', () => {
		const error = createApiError(node, { message: 'It failed', itemIndex: 1 });

		expect((withItemIndex(error, 2) as NodeApiError).httpCode).toBeNull();
	});

	it('ends the execution as it is', () => {
		expect(toNodeApiError(apiError)).toBe(apiError);
	});
});

describe('the error of input', () => {
	it('carries its words and its item', () => {
		expect(inputError).toBeInstanceOf(NodeOperationError);
		expect(inputError.message).toBe('It is wrong [item 3]');
		expect(inputError.description).toBe('Change it.');
		expect(inputError.context.itemIndex).toBe(3);
		expect(createInputError(node, { message: 'It is wrong' }).description).toBeUndefined();
	});

	it('keeps its item when others wait for it', () => {
		expect(withItemIndex(inputError, 4)).toBe(inputError);
	});

	it('ends the execution as an error of the API, which n8n does not wrap', () => {
		const error = toNodeApiError(inputError);

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error.message).toBe('It is wrong [item 3]');
		expect(error.description).toBe('Change it.');
		expect(error.context.itemIndex).toBe(3);
		expect(error.httpCode).toBeNull();
	});
});

describe('the errors of a node', () => {
	it.each([createApiError, createInputError])('carry no parameter but what runs', (create) => {
		expect(create(node, { message: 'It failed' }).node).toEqual({
			...node,
			parameters: { resource: 'container', operation: 'get' },
		});
	});

	it.each([createApiError, createInputError])('are plain text of limited length', (create) => {
		const text = `<b>\u0007\u202e\u2028\u2029 ${'x'.repeat(4000)}`;
		const plain = `‹b>  ${'x'.repeat(4000 - 8)}`;
		const described = { message: 'It failed', description: text };

		expect(create(node, { message: text }).message).toBe(plain);
		expect(create(node, described).description).toBe(plain);
	});
});

it.each([
	['404', true],
	['410', true],
	['403', false],
	['500', false],
])('status %s says that there is no such record: %s', (status, isMissing) => {
	const error = createApiError(node, { message: 'It failed', status: Number(status) });

	expect(isNotFound(error)).toBe(isMissing);
	expect(hasStatus(error, status)).toBe(true);
	expect(hasStatus(error, '418')).toBe(false);
	expect(isNotFound(Object.assign(new Error('It failed'), { httpCode: status }))).toBe(false);
});
