import type { Fault } from '../../../sandbox/index.cts';
import type { OperationCase } from './operations.cts';

/** One way in which a service or a network fails, and what the node makes of it. */
export interface FaultCase {
	name: string;
	fault: Fault;
	/** When the node sends the request again. */
	retried?: 'always' | 'ifIdempotent';
	/** The service performed the request before it failed. */
	performed?: boolean;
	/** The status of the response arrives, although its body does not. */
	sendsStatus?: boolean;
	/** The error does not tell whether a container was created. */
	outcomeUnknown?: boolean;
	/** The node accepts the response. */
	accepted?: boolean;
	message: RegExp;
	/** The message where the request creates a container. */
	uploadMessage?: RegExp;
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

const BACKOFF = 1000;

const status = (
	code: number,
	message: RegExp,
	{ headers, ...more }: Partial<FaultCase> & Pick<Fault, 'headers'> = {},
): FaultCase => ({
	name: `${code}`,
	fault: { kind: 'status', status: code, headers },
	message,
	description: /The service returns \d+/,
	httpCode: String(code),
	...more,
});

const failed = (code: number, more: Partial<FaultCase> & Pick<Fault, 'headers'>) =>
	status(code, new RegExp(`could not .* \\(status ${code}\\)`), {
		retried: 'ifIdempotent',
		outcomeUnknown: true,
		...more,
	});

const connectionLost = (name: string, fault: Fault, more: Partial<FaultCase> = {}): FaultCase => ({
	name,
	fault,
	retried: 'ifIdempotent',
	outcomeUnknown: true,
	delay: BACKOFF,
	message: /closed the connection before/,
	uploadMessage: /closed the connection during the upload/,
	...more,
});

const timedOut = (name: string, fault: Fault, more: Partial<FaultCase> = {}): FaultCase => ({
	name,
	fault,
	retried: 'ifIdempotent',
	outcomeUnknown: true,
	timeout: 1500,
	message: /did not respond in time/,
	description: /raise Options > Response Timeout/,
	...more,
});

const CREATED = /was created, but its ID is unknown/;

/** The status says that the request succeeded. */
const CUT_OFF: Partial<FaultCase> = {
	performed: true,
	sendsStatus: true,
	message: /its response was cut off/,
	uploadMessage: CREATED,
};

const hasBody = ({ target: { method } }: OperationCase) => method === 'PATCH' || method === 'POST';
const needsRecord = ({ acceptsMissing }: OperationCase) => acceptsMissing !== true;

/** Every fault of the matrix. A new fault is one entry. */
export const faults: FaultCase[] = [
	status(400, /did not accept the request to /),
	status(401, /did not accept the API key/),
	status(403, /The API key has no permission to /),
	status(404, /was not found|Nothing found/, { appliesTo: needsRecord }),
	status(409, /in the current state/),
	status(413, /larger than the service accepts|\(status 413\)/),

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

	failed(500, { retried: undefined }),
	failed(502, { delay: BACKOFF }),
	failed(504, {
		name: '504 after it was performed',
		fault: { kind: 'status', status: 504, when: 'effect' },
		performed: true,
		delay: BACKOFF,
	}),
	failed(503, { headers: { 'retry-after': '1' }, delay: 1000 }),

	connectionLost('reset before the body', { kind: 'reset' }),
	connectionLost(
		'reset during the body',
		{ kind: 'reset', afterBytes: 10 },
		{ appliesTo: hasBody },
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
			responseTimeout: 2,
			uploadMessage: CREATED,
			description: /raise Options > Response Timeout|reported success/,
		},
	),

	{
		name: 'incomplete JSON',
		fault: { kind: 'cutJson' },
		performed: true,
		outcomeUnknown: true,
		message: /returned invalid JSON/,
		uploadMessage: CREATED,
	},
	{
		name: 'HTML page',
		fault: { kind: 'webPage' },
		outcomeUnknown: true,
		message: /HTML page \("Secure Sharing Portal"\) instead of an API response/,
		description: /Base URL/,
	},
	{
		name: 'JSON with the content type of HTML',
		fault: { kind: 'wrongType', contentType: 'text/html' },
		performed: true,
		accepted: true,
		message: /./,
	},
	{
		name: 'redirect to another origin',
		fault: { kind: 'redirect', location: 'https://localhost:1/elsewhere' },
		message: /redirected the request to another URL/,
		description: /https:\/\/localhost:1/,
		httpCode: '302',
		// A service can redirect after it performed the request.
		outcomeUnknown: true,
	},
];
