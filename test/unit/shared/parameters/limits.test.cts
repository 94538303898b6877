import type { IDataObject } from 'n8n-workflow';
import { getRequestLimits } from '../../../../nodes/shared/parameters/limits';

describe('the request limits', () => {
	const limits = (options: Record<string, unknown>, responseTimeout?: number) =>
		getRequestLimits(options as IDataObject, responseTimeout);

	it('are five requests at a time, five retries and a minute for a response by default', () => {
		const defaults = { maxConcurrent: 5, maxRetries: 5 };
		expect(limits({})).toEqual({ ...defaults, responseTimeout: 60_000 });
		expect(limits({}, 300)).toEqual({ ...defaults, responseTimeout: 300_000 });
	});

	it('are what the user sets, including zero retries', () => {
		expect(limits({ maxConcurrent: 1, maxRetries: 0, responseTimeout: 3 }, 300)).toEqual({
			maxConcurrent: 1,
			maxRetries: 0,
			responseTimeout: 3000,
		});
	});

	it.each([
		[{ maxConcurrent: 0 }, 'Max Concurrent Requests'],
		[{ maxConcurrent: 101 }, 'Max Concurrent Requests'],
		[{ maxRetries: -1 }, 'Max Retries'],
		[{ maxRetries: 'often' }, 'Max Retries'],
		[{ responseTimeout: 0 }, 'Response Timeout'],
		[{ responseTimeout: 3601 }, 'Response Timeout'],
	])('are rejected when they are %j', (options, label) => {
		expect(() => limits(options)).toThrow(label);
	});
});
