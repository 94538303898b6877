import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import {
	createApiError,
	createInputError,
	hasStatus,
	isNotFound,
	toNodeApiError,
	withItemIndex,
} from '../../../../nodes/shared/errors/nodeErrors';

const node = {
	name: 'Node',
	parameters: { resource: 'container', operation: 'get', containerPassword: 'hunter2' },
} as unknown as INode;
const failure = { cause: 'rate-limited' } as const;
const words = { message: 'It failed with ECONNRESET', description: 'Try again.' };
const apiError = createApiError(node, { ...words, status: 404, itemIndex: 12, failure });
const inputError = createInputError(node, { ...words, itemIndex: 3 });

const fieldsOf = ({ message, description, context, httpCode, failure: cause }: NodeApiError) => ({
	...{ message, description, itemIndex: context.itemIndex, httpCode, failure: cause },
});
const fields = {
	...{ message: 'It failed with ECONNRESET [item 12]', description: 'Try again.' },
	...{ itemIndex: 12, httpCode: '404', failure },
};

describe('the error of a request', () => {
	it('carries its words, its item, its status and its cause, or has only what it was given', () => {
		expect(apiError).toBeInstanceOf(NodeApiError);
		expect(fieldsOf(apiError)).toEqual(fields);
		expect(fieldsOf(createApiError(node, { message: 'It failed' }))).toMatchObject({
			...{ message: 'It failed', description: undefined, httpCode: null },
		});
	});

	it('names another item that waited for the request, at the end of its message, and keeps the rest', () => {
		const other = withItemIndex(apiError, 8) as NodeApiError;
		const message = 'It failed with ECONNRESET [item 8]';
		expect(fieldsOf(other)).toEqual({ ...fields, message, itemIndex: 8 });
		expect(withItemIndex(apiError, 12)).toBe(apiError);

		const quoting = createApiError(node, { message: 'About " [item 1] of it"', itemIndex: 1 });
		expect(withItemIndex(quoting, 2)).toMatchObject({
			...{ message: 'About " [item 1] of it" [item 2]', httpCode: null },
		});
	});

	it('ends the execution as it is', () => {
		expect(toNodeApiError(apiError)).toBe(apiError);
	});
});

describe('the error of input', () => {
	const own = { message: 'It failed with ECONNRESET [item 3]', description: 'Try again.' };

	it('carries its words and its item, also when others wait for it', () => {
		expect(inputError).toBeInstanceOf(NodeOperationError);
		expect(inputError).toMatchObject({ ...own, context: { itemIndex: 3 } });
		expect(createInputError(node, { message: 'It is wrong' }).description).toBeUndefined();
		expect(withItemIndex(inputError, 4)).toBe(inputError);
	});

	it('ends the execution as an error of the API, which n8n does not wrap', () => {
		const error = toNodeApiError(inputError);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ ...own, context: { itemIndex: 3 }, httpCode: null });
	});
});

it.each([createApiError, createInputError])(
	'an error is plain text of limited length, and carries no parameter but what runs: %p',
	(create) => {
		const text = `<b>\u0007\u202e\u2028\u2029 ${'x'.repeat(4000)}`;
		const plain = `‹b>  ${'x'.repeat(4000 - 8)}`;
		const error = create(node, { message: text });

		expect(error.message).toBe(plain);
		expect(create(node, { message: 'No', description: text }).description).toBe(plain);
		expect(error.node.parameters).toEqual({ resource: 'container', operation: 'get' });
	},
);

it.each([
	['404', true],
	['404', false],
	['500', false],
])('with status %s keep that there is no such record: %s', (status, isMissing) => {
	const details = { message: 'It failed', status: Number(status), isNotFound: isMissing };
	const error = createApiError(node, details);

	expect([error, withItemIndex(error, 3)].map(isNotFound)).toEqual([isMissing, isMissing]);
	expect(hasStatus(error, status)).toBe(true);
	expect(hasStatus(error, '418')).toBe(false);
	expect(isNotFound(Object.assign(new Error('It failed'), { httpCode: status }))).toBe(false);
});
