import type { IDataObject } from 'n8n-workflow';
import { getRequestLimits } from '../../../../nodes/shared/parameters/limits';

describe('the request limits', () => {
	const limits = (options: Record<string, unknown>) => getRequestLimits(options as IDataObject);

	it('are five requests at a time and five retries by default', () => {
		expect(limits({})).toEqual({ maxConcurrent: 5, maxRetries: 5 });
	});

	it('are what the user sets, including zero retries', () => {
		expect(limits({ maxConcurrent: 1, maxRetries: 0 })).toEqual({
			maxConcurrent: 1,
			maxRetries: 0,
		});
	});

	it.each([
		[{ maxConcurrent: 0 }, 'Max Concurrent Requests'],
		[{ maxConcurrent: 101 }, 'Max Concurrent Requests'],
		[{ maxRetries: -1 }, 'Max Retries'],
		[{ maxRetries: 'often' }, 'Max Retries'],
	])('are rejected when they are %j', (options, label) => {
		expect(() => limits(options)).toThrow(label);
	});
});
