import type { INodeProperties } from 'n8n-workflow';

const DEFAULT_CONCURRENT = 5;
const DEFAULT_RETRIES = 5;

/** Bounds and default of the two options that every operation and the trigger take. */
export const LIMITS = {
	maxConcurrent: {
		label: 'Max Concurrent Requests',
		min: 1,
		max: 100,
		default: DEFAULT_CONCURRENT,
	},
	maxRetries: { label: 'Max Retries', min: 0, max: 100, default: DEFAULT_RETRIES },
};

export const limitOptions: INodeProperties[] = [
	{
		displayName: LIMITS.maxConcurrent.label,
		name: 'maxConcurrent',
		type: 'number',
		typeOptions: {
			minValue: LIMITS.maxConcurrent.min,
			maxValue: LIMITS.maxConcurrent.max,
			numberPrecision: 0,
		},
		default: DEFAULT_CONCURRENT,
		description:
			'Max number of requests that run at the same time in one execution. Lower it if the service limits requests.',
	},
	{
		displayName: LIMITS.maxRetries.label,
		name: 'maxRetries',
		type: 'number',
		typeOptions: {
			minValue: LIMITS.maxRetries.min,
			maxValue: LIMITS.maxRetries.max,
			numberPrecision: 0,
		},
		default: DEFAULT_RETRIES,
		description:
			'How many times to retry a request after a rate limit or an outage. If it is unclear whether a request succeeded, the node retries it only if that is safe.',
	},
];
