import type { INodeProperties } from 'n8n-workflow';

/** Bounds and default of the two options that every operation and the trigger take. */
export const LIMITS = {
	maxConcurrent: { label: 'Max Concurrent Requests', min: 1, max: 100, default: 5 },
	maxRetries: { label: 'Max Retries', min: 0, max: 100, default: 5 },
};

export const limitOptions: INodeProperties[] = [
	{
		displayName: LIMITS.maxConcurrent.label,
		name: 'maxConcurrent',
		type: 'number',
		default: '0',
		typeOptions: {
			minValue: LIMITS.maxConcurrent.min,
			maxValue: LIMITS.maxConcurrent.max,
			numberPrecision: 0,
		},
		default: LIMITS.maxConcurrent.default,
		description:
			'Max number of requests that run at the same time in one execution. Lower it if the service limits requests.',
	},
	{
		displayName: LIMITS.maxRetries.label,
		name: 'maxRetries',
		type: 'number',
		default: '0',
		typeOptions: {
			minValue: LIMITS.maxRetries.min,
			maxValue: LIMITS.maxRetries.max,
			numberPrecision: 0,
		},
		default: LIMITS.maxRetries.default,
		description:
			'How many times to retry a request after a rate limit or an outage. If it is unclear whether a request succeeded, the node retries it only if that is safe.',
	},
];
