import type { IExecutePaginationFunctions, INodeProperties } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

const MAX_CONCURRENT = 100;
const MAX_RETRIES = 100;

/** The two options that every operation takes. */
export const limitOptions: INodeProperties[] = [
	{
		displayName: 'Max Concurrent Requests',
		name: 'maxConcurrent',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MAX_CONCURRENT, numberPrecision: 0 },
		default: 5,
		description:
			'Max number of requests that run at the same time in one execution. Lower it if the service limits requests.',
	},
	{
		displayName: 'Max Retries',
		name: 'maxRetries',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: MAX_RETRIES, numberPrecision: 0 },
		default: 5,
		description:
			'How many times to retry a request after a rate limit or an outage. If it is unclear whether a request succeeded, the node retries it only if that is safe.',
	},
];

/**
 * Reads the limits of an item's requests.
 *
 * @param context the item's context
 * @returns both numbers, with their defaults where the user set none
 * @throws UserError when one is not a whole number within its bounds
 */
export function getRequestLimits(context: Pick<IExecutePaginationFunctions, 'getNodeParameter'>): {
	maxConcurrent: number;
	maxRetries: number;
} {
	const options = context.getNodeParameter('options', {}) as Record<string, unknown>;
	return {
		maxConcurrent: parseInteger(
			options.maxConcurrent ?? 5,
			'Max Concurrent Requests',
			1,
			MAX_CONCURRENT,
		),
		maxRetries: parseInteger(options.maxRetries ?? 5, 'Max Retries', 0, MAX_RETRIES),
	};
}

/**
 * Checks a number that an expression may have made.
 *
 * @param value a number, or its text
 * @param label display name of its field
 * @param least smallest value allowed
 * @param most largest value allowed
 * @returns the number
 * @throws UserError when it is no whole number, too small or too large
 */
export function parseInteger(
	value: unknown,
	label: string,
	least: number,
	most = Number.MAX_SAFE_INTEGER,
): number {
	const isText = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value);
	const number = isText ? Number(value) : value;
	if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most) {
		return number;
	}
	const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`;
	throw new UserError(`"${label}" is not a whole number, ${range}`, {
		description: `Enter a whole number, ${range}, in "${label}". It is ${describe(value)} now.`,
	});
}

function describe(value: unknown): string {
	if (value === '' || value === undefined || value === null) return 'empty';
	return typeof value === 'object' ? 'a list or an object' : `"${String(value).slice(0, 50)}"`;
}
