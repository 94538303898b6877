import type { INodeProperties } from 'n8n-workflow';

/** Options of every operation and of the trigger. */
export const limitOptions = {
	maxConcurrent: {
		displayName: 'Max Concurrent Requests',
		name: 'maxConcurrent',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
		default: 5,
		description:
			'Max number of requests that run at the same time in one execution. Lower it if the service limits requests.',
	},
	maxRetries: {
		displayName: 'Max Retries',
		name: 'maxRetries',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 100, numberPrecision: 0 },
		default: 5,
		description:
			'How many times to retry a request after a rate limit or an outage. If it is unclear whether a request succeeded, the node retries it only if that is safe.',
	},
	responseTimeout: {
		displayName: 'Response Timeout',
		name: 'responseTimeout',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 3600, numberPrecision: 0 },
		default: 60,
		description:
			'How many seconds the service has to send its whole response, once it has received the whole request. After this time, the request fails.',
	},
} satisfies Record<string, INodeProperties>;
