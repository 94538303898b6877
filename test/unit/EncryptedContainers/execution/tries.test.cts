import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { getTries } from '../../../../nodes/EncryptedContainers/execution/tries';

const createError = (message: string) =>
	new NodeOperationError({ name: 'Tested' } as INode, message, { description: 'Look for it.' });

it('the tries of one execution share a state, others do not', () => {
	const key = {};
	expect(getTries(key)).toBe(getTries(key));
	expect(getTries({})).not.toBe(getTries(key));
});

describe('a task for all items', () => {
	it('runs once in all tries, unless it fails: then once in each', async () => {
		const shared = getTries({});
		const task = jest.fn(async () => await Promise.resolve('done'));
		const failing = jest.fn(async () => await Promise.reject(new Error('no')));
		const late = jest.fn(async () => await Promise.resolve(shared.count));
		late.mockRejectedValueOnce(new Error('no'));
		for (let tries = 1; tries <= 3; tries += 1) {
			shared.begin();
			expect(shared.count).toBe(tries);
			for (let item = 0; item < 2; item += 1) {
				expect(await shared.memoize('task', task)).toBe('done');
				await expect(shared.memoize('failing', failing)).rejects.toThrow('no');
				const result = await shared.memoize('late', late).catch(() => 'failed');
				expect(result).toBe(tries === 1 ? 'failed' : 2);
			}
		}
		expect([task.mock.calls.length, failing.mock.calls.length]).toEqual([1, 3]);
	});
});

describe('an item', () => {
	it.each([
		['repeats what failed before', [{ isUnknown: false, message: 'first' }], undefined],
		['does not repeat what might have been done', [{ isUnknown: true, message: 'first' }], 'first'],
		[
			'keeps the error of the try that might have been carried out',
			[
				{ isUnknown: false, message: 'first' },
				{ isUnknown: true, message: 'second' },
				{ isUnknown: true, message: 'third' },
			],
			'second',
		],
	])('%s', (_what, errors, message) => {
		const shared = getTries({});
		for (const { isUnknown, message: text } of errors) {
			const state = shared.getState(3);
			state.isOutcomeUnknown ||= isUnknown;
			state.setError(createError(text));
		}
		const repeat = () => shared.getState(3).assertRepeatable();
		if (message === undefined) return expect(repeat).not.toThrow();
		for (let tries = 0; tries < 2; tries += 1) {
			expect(repeat).toThrow(
				expect.objectContaining({
					message,
					description: 'Look for it. Retry On Fail did not send it again.',
				}),
			);
		}
		expect(() => shared.getState(4).assertRepeatable()).not.toThrow();
	});
});
