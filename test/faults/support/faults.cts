import type { Fault } from '../../../sandbox/index.cts';
import type { OperationCase } from './operations.cts';

/** One way in which a service or a network fails, and what the node makes of it. */
export interface FaultCase {
	name: string;
	fault: Fault;
	/** When the node sends the request again. */
	retried: 'never' | 'always' | 'ifIdempotent';
	/** The service performed the request before it failed. */
	performed?: boolean;
	/** The status of the response arrives, although its body does not. */
	sendsStatus?: boolean;
	/** The error does not tell whether a container was created. */
	outcomeUnknown?: boolean;
	/** The node accepts the response. */
	accepted?: boolean;
	message: RegExp | ((operation: OperationCase) => RegExp);
	/** Text that the error's description must contain. */
	description?: RegExp;
	httpCode?: string;
	/** Milliseconds that n8n waits for the start of a response. */
	timeout?: number;
	/** Seconds that the node waits for a whole response. */
	responseTimeout?: number;
	/** The least milliseconds between the first and the second attempt. */
	delay?: number;
	appliesTo?: (operation: OperationCase) => boolean;
}

const TIMEOUT = 1500;
const RESPONSE_TIMEOUT = 2;
const BACKOFF = 1000;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const withAction =
	(before: string, after = '') =>
	({ action }: OperationCase) =>
		new RegExp(before + escaped(action) + after);

const status = (
	code: number,
	message: FaultCase['message'],
	{ headers, ...more }: Partial<FaultCase> & { headers?: Record<string, string> } = {},
): FaultCase => ({
	name: `${code}`,
	fault: { kind: 'status', status: code, ...(headers === undefined ? {} : { headers }) },
	retried: 'never',
	message,
	description: /The service returns \d+/,
	httpCode: String(code),
	...more,
});

const failed = (code: number, more: Partial<FaultCase> & { headers?: Record<string, string> }) =>
	status(code, withAction('could not ', ` \\(status ${code}\\)`), {
		retried: 'ifIdempotent',
		outcomeUnknown: true,
		...more,
	});

const connectionLost = (
	name: string,
	fault: FaultCase['fault'],
	more: Partial<FaultCase> = {},
): FaultCase => ({
	name,
	fault,
	retried: 'ifIdempotent',
	outcomeUnknown: true,
	delay: BACKOFF,
	message: ({ creates }) =>
		creates === true ? /closed the connection during the upload/ : /closed the connection before/,
	...more,
});

const timedOut = (
	name: string,
	fault: FaultCase['fault'],
	more: Partial<FaultCase> = {},
): FaultCase => ({
	name,
	fault,
	retried: 'ifIdempotent',
	outcomeUnknown: true,
	timeout: TIMEOUT,
	message: /did not respond in time/,
	description: /raise the timeout/,
	...more,
});

/** The status says that the request succeeded. */
const CUT_OFF: Partial<FaultCase> = {
	performed: true,
	sendsStatus: true,
	message: ({ creates }) =>
		creates === true ? /was created, but its ID is unknown/ : /its response was cut off/,
};

const isPatch = ({ target: { method } }: OperationCase) => method === 'PATCH';
const isUpload = ({ creates }: OperationCase) => creates === true;
const hasRecord = ({ acceptsMissing }: OperationCase) => acceptsMissing !== true;

/** Every fault of the matrix. A new fault is one entry. */
export const faults: FaultCase[] = [
	status(400, withAction('did not accept the request to ')),
	status(401, /did not accept the API key/),
	status(403, withAction('The API key has no permission to ')),
	status(404, /was not found|Nothing found/, { appliesTo: hasRecord }),
	status(409, /in the current state/, { description: /The service returns 409/ }),
	status(413, /larger than the service accepts/),

	status(429, /received too many requests/, {
		name: '429, Retry-After in seconds',
		headers: { 'retry-after': '1' },
		delay: 1000,
		retried: 'always',
		description: /The service returns 429.*Tried 2 times/,
	}),
	status(429, /received too many requests/, {
		name: '429, Retry-After of two hours',
		headers: { 'retry-after': '7200' },
		description: /The service returns 429(?!.*Tried)/,
	}),

	failed(500, { retried: 'never' }),
	failed(502, { delay: BACKOFF }),
	failed(504, {
		name: '504 after it was performed',
		fault: { kind: 'status', status: 504, when: 'effect' },
		performed: true,
		delay: BACKOFF,
	}),
	failed(503, { headers: { 'retry-after': '1' }, delay: 1000 }),

	connectionLost('reset before the body', { kind: 'reset', when: 'arrival' }),
	connectionLost(
		'reset during the body',
		{ kind: 'reset', afterBytes: 10 },
		{ appliesTo: isPatch },
	),
	connectionLost(
		'reset during the upload',
		{ kind: 'reset', afterBytes: 100_000 },
		{ appliesTo: isUpload },
	),
	connectionLost('reset after the body', { kind: 'reset', when: 'body' }),
	connectionLost(
		'reset after it was performed',
		{ kind: 'reset', when: 'effect' },
		{ performed: true },
	),
	connectionLost('reset in the middle of the response', { kind: 'resetInResponse' }, CUT_OFF),
	connectionLost('half a response with a wrong length', { kind: 'halfResponse' }, CUT_OFF),
	timedOut('no response', { kind: 'never' }),
	timedOut('slow response', { kind: 'stallHeaders', ms: 30_000 }, { performed: true }),
	timedOut(
		'response that stops half-way',
		{ kind: 'stallBody', ms: 30_000 },
		{
			performed: true,
			sendsStatus: true,
			timeout: undefined,
			responseTimeout: RESPONSE_TIMEOUT,
			message: /did not respond in time \(within 2 s\)|created, but its ID is unknown/,
			description: /raise Options > Response Timeout|reported success/,
		},
	),

	{
		name: 'incomplete JSON',
		fault: { kind: 'cutJson' },
		retried: 'never',
		performed: true,
		outcomeUnknown: true,
		message: /returned invalid JSON|was created, but its ID is unknown/,
	},
	{
		name: 'HTML page',
		fault: { kind: 'webPage' },
		retried: 'never',
		outcomeUnknown: true,
		message: /HTML page \("Secure Sharing Portal"\) instead of an API response/,
		description: /Base URL/,
	},
	{
		name: 'JSON with the content type of HTML',
		fault: { kind: 'wrongType', contentType: 'text/html' },
		retried: 'never',
		performed: true,
		accepted: true,
		message: /./,
	},
	{
		name: 'redirect to another origin',
		fault: { kind: 'redirect', location: 'https://localhost:1/elsewhere' },
		retried: 'never',
		message: /redirected the request to another URL/,
		description: /https:\/\/localhost:1/,
		httpCode: '302',
		// A service can redirect after it performed the request.
		outcomeUnknown: true,
	},
];
