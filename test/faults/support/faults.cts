import type { FaultKind, FaultMatch, HostileBody } from '../../../sandbox/index.cts';
import type { ResponseUse, OperationCase } from './operations.cts';

/** When the node retries the request: never, always, or only if it is idempotent. */
type RetryPolicy = 'never' | 'always' | 'ifIdempotent';

/** What the node does with an unexpected successful response: it accepts it, or fails with this message. */
type Verdict = 'accepted' | RegExp;

/** One way in which a service or a network fails. */
export interface FaultCase {
	name: string;
	fault: FaultKind & Pick<FaultMatch, 'when'>;
	retried: RetryPolicy;
	/** The service performed the request before it failed. */
	performed?: boolean;
	/** The status means success: only the body shows the fault. */
	hasSuccessStatus?: boolean;
	/** The status of the response arrives, although its body does not. */
	sendsStatus?: boolean;
	/** The response shows rules that can't be read. */
	showsRules?: boolean;
	/** The error does not tell whether a container was created. */
	outcomeUnknown?: boolean;
	message: RegExp | ((operation: OperationCase) => RegExp);
	/** Text that the error's description must contain. */
	description?: RegExp;
	httpCode?: string;
	/** What the node does with an unexpected successful response, by how it uses the response. */
	verdict?: (operation: OperationCase) => Verdict;
	/** Milliseconds that n8n waits for the start of a response. */
	timeout?: number;
	/** Seconds that the node waits for a whole response. */
	responseTimeout?: number;
	/** Milliseconds between the first and the second attempt. */
	delay?: { min: number; max?: number };
	/** Heavy for the service and the node. Such cases run alone. */
	heavy?: boolean;
	appliesTo?: (operation: OperationCase) => boolean;
}

const TIMEOUT = 1500;
const RESPONSE_TIMEOUT = 2;
const BACKOFF = { min: 1000 };
const STATUS_NOTE = /The service returns \d+/;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const messageWithAction =
	(before: string, after = '') =>
	(operation: OperationCase) =>
		new RegExp(before + escaped(operation.action) + after);

const status = (
	code: number,
	message: FaultCase['message'],
	more: Partial<FaultCase> & { headers?: Record<string, string>; name?: string } = {},
): FaultCase => {
	const { headers, name = `${code}`, ...rest } = more;
	return {
		name,
		fault: { kind: 'status', status: code, ...(headers === undefined ? {} : { headers }) },
		retried: 'never',
		message,
		description: STATUS_NOTE,
		httpCode: String(code),
		...rest,
	};
};

const LIMITED = /received too many requests/;
const limited = (name: string, headers: Record<string, string>, delay: FaultCase['delay']) =>
	status(429, LIMITED, {
		name: `429, ${name}`,
		headers,
		delay,
		retried: 'always',
		description: /The service returns 429.*Tried 2 times/,
	});

const failed = (code: number) => messageWithAction('could not ', ` \\(status ${code}\\)`);
const unavailable = (name: string, headers: Record<string, string>, delay: FaultCase['delay']) =>
	status(503, failed(503), {
		name: `503, ${name}`,
		headers,
		delay,
		retried: 'ifIdempotent',
		outcomeUnknown: true,
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

const redirect = (name: string, location: string, code = 302): FaultCase => ({
	name,
	fault: { kind: 'redirect', location, status: code },
	retried: 'never',
	message: /redirected the request to another URL/,
	description: new RegExp(escaped(new URL(location).origin)),
	httpCode: String(code),
});

const UNEXPECTED = /instead of/;
const TOO_LARGE = /returned more than 8 MB/;

/** What each use does with valid JSON of an unexpected shape. */
type Verdicts = Partial<Record<ResponseUse | 'envelope', Verdict>>;

/** Encode accepts no record without an identifier. Rules are shown as any other record. */
const getVerdict = (verdicts: Verdicts, { use, creates }: OperationCase): Verdict =>
	(creates === true ? verdicts.envelope : undefined) ??
	verdicts[use] ??
	(use === 'shownRules' ? verdicts.record : undefined) ??
	(use === 'wholeList' ? verdicts.list : undefined) ??
	'accepted';

const NOT_A_RECORD: Verdicts = {
	record: UNEXPECTED,
	rules: UNEXPECTED,
	user: UNEXPECTED,
	list: UNEXPECTED,
};

const hostile = (
	body: HostileBody,
	verdicts: Verdicts,
	more: Partial<FaultCase> = {},
): FaultCase => ({
	name: `hostile body: ${body}`,
	fault: { kind: 'hostile', body, when: 'effect' },
	retried: 'never',
	performed: true,
	outcomeUnknown: true,
	message: UNEXPECTED,
	hasSuccessStatus: true,
	verdict: (operation) => getVerdict(verdicts, operation),
	...more,
});

const body = (name: string, text: string, verdicts: Verdicts): FaultCase => ({
	name: `body: ${name}`,
	fault: { kind: 'body', body: text, when: 'effect' },
	retried: 'never',
	performed: true,
	outcomeUnknown: true,
	message: UNEXPECTED,
	hasSuccessStatus: true,
	verdict: (operation) => getVerdict(verdicts, operation),
});

const TOO_DEEP = /nested more than/;
const forEveryUse = (verdict: Verdict): Verdicts => ({
	record: verdict,
	optional: verdict,
	list: verdict,
	rules: verdict,
	user: verdict,
	proof: verdict,
});
/** A page of a list can be longer than other responses. */
const TOO_LARGE_FOR_A_RECORD: Verdicts = {
	...forEveryUse(TOO_LARGE),
	list: 'accepted',
	wholeList: UNEXPECTED,
};
const notForUsers = ({ use }: OperationCase) => use !== 'user';

/** Every fault of the tests. A new fault is one line. */
export const faults: FaultCase[] = [
	status(400, messageWithAction('did not accept the request to ')),
	status(401, /did not accept the API key/),
	status(403, messageWithAction('The API key has no permission to ')),
	status(404, /was not found|Nothing found/, {
		appliesTo: ({ acceptsMissing }) => acceptsMissing !== true,
	}),
	status(409, /in the current state/, { description: /The service returns 409/ }),
	status(413, /larger than the service accepts/),
	status(422, messageWithAction('did not accept the request to ')),
	status(418, messageWithAction('refused to ')),

	limited('Retry-After in seconds', { 'retry-after': '1' }, { min: 1000, max: 6000 }),
	limited('Retry-After 0', { 'retry-after': '0' }, { min: 0, max: 6000 }),
	limited('Retry-After a date', { 'retry-after': 'Mon, 06 Nov 2000 08:49:37 GMT' }, { min: 0 }),
	limited('without Retry-After', {}, BACKOFF),
	limited('with an invalid Retry-After', { 'retry-after': 'soon' }, BACKOFF),
	status(429, LIMITED, {
		description: /The service returns 429(?!.*Tried)/,
		name: '429, Retry-After of two hours',
		headers: { 'retry-after': '7200' },
	}),

	status(500, failed(500), { outcomeUnknown: true }),
	status(502, failed(502), { retried: 'ifIdempotent', outcomeUnknown: true, delay: BACKOFF }),
	status(504, failed(504), { retried: 'ifIdempotent', outcomeUnknown: true, delay: BACKOFF }),
	status(504, failed(504), {
		name: '504 after it was performed',
		fault: { kind: 'status', status: 504, when: 'effect' },
		retried: 'ifIdempotent',
		performed: true,
		outcomeUnknown: true,
		delay: BACKOFF,
	}),
	unavailable('Retry-After in seconds', { 'retry-after': '1' }, { min: 1000, max: 6000 }),
	unavailable('Retry-After 0', { 'retry-after': '0' }, { min: 0, max: 6000 }),
	unavailable('without Retry-After', {}, BACKOFF),

	connectionLost('reset before the body', { kind: 'reset', when: 'arrival' }),
	connectionLost(
		'reset during the body',
		{ kind: 'reset', afterBytes: 10 },
		{
			appliesTo: ({ target: { method } }) => method === 'PATCH',
		},
	),
	connectionLost(
		'reset during the upload',
		{ kind: 'reset', afterBytes: 100_000 },
		{
			appliesTo: ({ creates }) => creates === true,
		},
	),
	connectionLost('reset after the body', { kind: 'reset', when: 'body' }),
	connectionLost(
		'reset after it was performed',
		{ kind: 'reset', when: 'effect' },
		{ performed: true },
	),
	connectionLost(
		'reset in the middle of the response',
		{ kind: 'resetInResponse' },
		{ performed: true, sendsStatus: true },
	),
	connectionLost(
		'half a response with a wrong length',
		{ kind: 'halfResponse' },
		{ performed: true, sendsStatus: true },
	),
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
			message: /did not send a complete response within 2 seconds/,
			description: /raise Options > Response Timeout/,
		},
	),

	{
		name: 'incomplete JSON',
		fault: { kind: 'cutJson' },
		retried: 'never',
		performed: true,
		outcomeUnknown: true,
		hasSuccessStatus: true,
		message: /returned invalid JSON|was created, but its ID is unknown/,
	},
	{
		name: 'HTML page',
		fault: { kind: 'webPage' },
		retried: 'never',
		outcomeUnknown: true,
		hasSuccessStatus: true,
		message: /HTML page \("Secure Sharing Portal"\) instead of an API response/,
		description: /Base URL/,
	},
	{
		name: 'JSON with the content type of HTML',
		fault: { kind: 'wrongType', contentType: 'text/html' },
		retried: 'never',
		performed: true,
		message: UNEXPECTED,
		verdict: () => 'accepted',
	},
	redirect('redirect to another origin', 'https://localhost:1/elsewhere'),
	redirect('redirect to plain HTTP', 'http://localhost:1/api/v1/me', 301),
	redirect('redirect that keeps the method', 'https://localhost:1/elsewhere', 307),

	body('empty', '', {
		record: UNEXPECTED,
		rules: UNEXPECTED,
		user: UNEXPECTED,
		wholeList: UNEXPECTED,
	}),
	body('plain text', 'done', {
		record: UNEXPECTED,
		rules: UNEXPECTED,
		user: UNEXPECTED,
		list: UNEXPECTED,
	}),
	hostile('blank', {
		record: UNEXPECTED,
		rules: UNEXPECTED,
		user: UNEXPECTED,
		wholeList: UNEXPECTED,
	}),
	hostile('proto', { rules: UNEXPECTED, user: UNEXPECTED, list: UNEXPECTED }),
	hostile('protoList', { record: UNEXPECTED, rules: UNEXPECTED, user: UNEXPECTED }),
	hostile('deep', forEveryUse(TOO_DEEP), { message: TOO_DEEP }),
	hostile('deepArray', forEveryUse(TOO_DEEP), { message: TOO_DEEP }),
	hostile('huge', TOO_LARGE_FOR_A_RECORD, { message: TOO_LARGE, heavy: true }),
	hostile('hugeList', TOO_LARGE_FOR_A_RECORD, { message: TOO_LARGE, heavy: true }),
	hostile('nullList', { ...NOT_A_RECORD, list: undefined }),
	// A number is no email address.
	hostile('numericIds', { ...NOT_A_RECORD, list: undefined, wholeList: UNEXPECTED }),
	hostile('numericId', { rules: UNEXPECTED, list: UNEXPECTED }, { appliesTo: notForUsers }),
	hostile('null', { ...NOT_A_RECORD, list: undefined, wholeList: UNEXPECTED }),
	hostile('number', NOT_A_RECORD),
	hostile('text', NOT_A_RECORD),
	hostile('boolean', NOT_A_RECORD),
	hostile('emptyObject', {
		record: UNEXPECTED,
		// A container without rules.
		shownRules: 'accepted',
		user: UNEXPECTED,
		list: UNEXPECTED,
	}),
	hostile('emptyList', { ...NOT_A_RECORD, list: undefined }),
	hostile('byteOrderMark', { rules: UNEXPECTED, user: UNEXPECTED, list: UNEXPECTED }),
	{
		...body(
			'rules and users of wrong types',
			'{"id":{},"recipients":"all","opens":"many","time":[]}',
			{
				rules: UNEXPECTED,
				user: UNEXPECTED,
				list: UNEXPECTED,
				envelope: UNEXPECTED,
			},
		),
		showsRules: true,
	},
];
