import type { FaultKind, FaultMatch, HostileBody } from '../../../sandbox/index.cts';
import type { AnswerUse, OperationCase } from './operations.cts';

/** When the node sends the request again: never, always, or only if that cannot do anything twice. */
type Again = 'never' | 'always' | 'ifRepeatable';

/** What the node makes of a spoiled answer of success: goes on with it, or calls it an error in these words. */
export type Verdict = 'goesOn' | RegExp;

/** One way in which a service or a network fails. */
export interface FaultCase {
	name: string;
	fault: FaultKind & Pick<FaultMatch, 'when'>;
	again: Again;
	/** The service had done what was asked when it failed. */
	carriedOut?: boolean;
	/** The status is one of success: only who reads the answer finds the fault. */
	answersSuccess?: boolean;
	/** An error that leaves open whether a container was made. */
	doubt?: boolean;
	message: RegExp | ((operation: OperationCase) => RegExp);
	/** Words that the error's description must hold. */
	says?: RegExp;
	httpCode?: string;
	/** Spoiled answers of success: what the node makes of them, by what it wants to know. */
	verdict?: (operation: OperationCase) => Verdict;
	/** The time that the node waits for an answer. */
	timeout?: number;
	/** Milliseconds between the first and the second try. */
	wait?: { least: number; most?: number };
	/** Of service and node: these are run alone, for they keep the machine busy. */
	heavy?: boolean;
	appliesTo?: (operation: OperationCase) => boolean;
}

const SLOW = 1500;
const BACK_OFF = { least: 1000 };
const SAID = /The service returns \d+/;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const about =
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
		again: 'never',
		message,
		says: SAID,
		httpCode: String(code),
		...rest,
	};
};

const LIMITED = /received too many requests/;
const limited = (name: string, headers: Record<string, string>, wait: FaultCase['wait']) =>
	status(429, LIMITED, {
		name: `429, ${name}`,
		headers,
		wait,
		again: 'always',
		says: /The service returns 429.*Tried 2 times/,
	});

const failed = (code: number) => about('could not ', ` \\(status ${code}\\)`);
const away = (name: string, headers: Record<string, string>, wait: FaultCase['wait']) =>
	status(503, failed(503), { name: `503, ${name}`, headers, wait, again: 'always' });

const lost = (
	name: string,
	fault: FaultCase['fault'],
	more: Partial<FaultCase> = {},
): FaultCase => ({
	name,
	fault,
	again: 'ifRepeatable',
	doubt: true,
	wait: BACK_OFF,
	message: ({ creates }) =>
		creates === true ? /closed the connection during the upload/ : /closed the connection before/,
	...more,
});

const late = (
	name: string,
	fault: FaultCase['fault'],
	more: Partial<FaultCase> = {},
): FaultCase => ({
	name,
	fault,
	again: 'ifRepeatable',
	doubt: true,
	timeout: SLOW,
	message: /did not respond in time/,
	says: /raise the timeout/,
	...more,
});

const redirect = (name: string, location: string, code = 302): FaultCase => ({
	name,
	fault: { kind: 'redirect', location, status: code },
	again: 'never',
	message: /redirected the request to another URL/,
	says: new RegExp(escaped(new URL(location).origin)),
	httpCode: String(code),
});

const INSTEAD = /instead of/;

/** What each use makes of an answer that is sound JSON but not what it should be. */
type Verdicts = Partial<Record<AnswerUse, Verdict>>;

const NOT_A_RECORD: Verdicts = { record: INSTEAD, rules: INSTEAD, user: INSTEAD, list: INSTEAD };

const hostile = (
	body: HostileBody,
	verdicts: Verdicts,
	more: Partial<FaultCase> = {},
): FaultCase => ({
	name: `hostile body: ${body}`,
	fault: { kind: 'hostile', body, when: 'effect' },
	again: 'never',
	carriedOut: true,
	doubt: true,
	message: INSTEAD,
	answersSuccess: true,
	verdict: ({ use }) => verdicts[use] ?? 'goesOn',
	...more,
});

const body = (name: string, text: string, verdicts: Verdicts): FaultCase => ({
	name: `body: ${name}`,
	fault: { kind: 'body', body: text, when: 'effect' },
	again: 'never',
	carriedOut: true,
	doubt: true,
	message: INSTEAD,
	answersSuccess: true,
	verdict: ({ use }) => verdicts[use] ?? 'goesOn',
});

const TOO_DEEP = /nested more than/;
const everywhere = (verdict: Verdict): Verdicts => ({
	record: verdict,
	optional: verdict,
	list: verdict,
	rules: verdict,
	user: verdict,
	proof: verdict,
});
const notForUsers = ({ use }: OperationCase) => use !== 'user';

/** Every fault that the operations are put under. A new one is one line. */
export const faults: FaultCase[] = [
	status(400, about('did not accept the request to ')),
	status(401, /did not accept the API key/),
	status(403, about('The API key has no permission to ')),
	status(404, /was not found|Nothing found/),
	status(409, /in the current state/, { says: /The service returns 409/ }),
	status(413, /larger than the service accepts/),
	status(422, about('did not accept the request to ')),
	status(418, about('refused to ')),

	limited('Retry-After in seconds', { 'retry-after': '1' }, { least: 1000, most: 6000 }),
	limited('Retry-After 0', { 'retry-after': '0' }, { least: 0, most: 6000 }),
	limited('Retry-After a date', { 'retry-after': 'Mon, 06 Nov 2000 08:49:37 GMT' }, { least: 0 }),
	limited('without Retry-After', {}, BACK_OFF),
	limited('with a Retry-After that says nothing', { 'retry-after': 'soon' }, BACK_OFF),
	status(429, LIMITED, {
		says: /The service returns 429(?!.*Tried)/,
		name: '429, Retry-After of two hours',
		headers: { 'retry-after': '7200' },
	}),

	status(500, failed(500), { doubt: true }),
	status(502, failed(502), { again: 'ifRepeatable', doubt: true, wait: BACK_OFF }),
	status(504, failed(504), { again: 'ifRepeatable', doubt: true, wait: BACK_OFF }),
	status(504, failed(504), {
		name: '504 after it was carried out',
		fault: { kind: 'status', status: 504, when: 'effect' },
		again: 'ifRepeatable',
		carriedOut: true,
		doubt: true,
		wait: BACK_OFF,
	}),
	away('Retry-After in seconds', { 'retry-after': '1' }, { least: 1000, most: 6000 }),
	away('Retry-After 0', { 'retry-after': '0' }, { least: 0, most: 6000 }),
	away('without Retry-After', {}, BACK_OFF),

	lost('reset before the body', { kind: 'reset', when: 'arrival' }),
	lost(
		'reset during the body',
		{ kind: 'reset', afterBytes: 10 },
		{
			appliesTo: ({ target: { method } }) => method === 'PATCH',
		},
	),
	lost(
		'reset during the upload',
		{ kind: 'reset', afterBytes: 100_000 },
		{
			appliesTo: ({ creates }) => creates === true,
		},
	),
	lost('reset after the body', { kind: 'reset', when: 'body' }),
	lost('reset after it was carried out', { kind: 'reset', when: 'effect' }, { carriedOut: true }),
	lost('reset in the middle of the answer', { kind: 'resetInResponse' }, { carriedOut: true }),
	lost('half an answer of the wrong length', { kind: 'halfResponse' }, { carriedOut: true }),
	late('no answer, ever', { kind: 'never' }),
	late('slow answer', { kind: 'stallHeaders', ms: 30_000 }, { carriedOut: true }),
	late('answer that stops half-way', { kind: 'stallBody', ms: 30_000 }, { carriedOut: true }),

	{
		name: 'JSON cut off',
		fault: { kind: 'cutJson' },
		again: 'never',
		carriedOut: true,
		doubt: true,
		answersSuccess: true,
		message: /returned invalid JSON/,
	},
	{
		name: 'web page',
		fault: { kind: 'webPage' },
		again: 'never',
		doubt: true,
		answersSuccess: true,
		message: /HTML page instead of an API response/,
		says: /Base URL/,
	},
	{
		name: 'JSON labelled as a page',
		fault: { kind: 'wrongType', contentType: 'text/html' },
		again: 'never',
		carriedOut: true,
		message: INSTEAD,
		verdict: () => 'goesOn',
	},
	redirect('redirect to another origin', 'https://localhost:1/elsewhere'),
	redirect('redirect to plain HTTP', 'http://localhost:1/api/v1/me', 301),
	redirect('redirect that keeps the method', 'https://localhost:1/elsewhere', 307),

	body('empty', '', { record: INSTEAD, rules: INSTEAD, user: INSTEAD }),
	body('plain text', 'done', { record: INSTEAD, rules: INSTEAD, user: INSTEAD, list: INSTEAD }),
	hostile('blank', { record: INSTEAD, rules: INSTEAD, user: INSTEAD }),
	hostile('proto', { rules: INSTEAD, user: INSTEAD, list: INSTEAD }),
	hostile('protoList', { record: INSTEAD, rules: INSTEAD, user: INSTEAD }),
	hostile('deep', everywhere(TOO_DEEP), { message: TOO_DEEP }),
	hostile('deepArray', everywhere(TOO_DEEP), { message: TOO_DEEP }),
	hostile('huge', { ...NOT_A_RECORD, list: undefined }, { heavy: true }),
	hostile('hugeList', { ...NOT_A_RECORD, list: undefined }, { heavy: true }),
	hostile('nullList', { ...NOT_A_RECORD, list: undefined }),
	hostile('numericIds', { ...NOT_A_RECORD, list: undefined }),
	hostile('numericId', { rules: INSTEAD, list: INSTEAD }, { appliesTo: notForUsers }),
	hostile('null', { ...NOT_A_RECORD, list: undefined }),
	hostile('number', NOT_A_RECORD),
	hostile('text', NOT_A_RECORD),
	hostile('boolean', NOT_A_RECORD),
	hostile('emptyObject', { user: INSTEAD, list: INSTEAD }),
	hostile('emptyList', { ...NOT_A_RECORD, list: undefined }),
	hostile('byteOrderMark', { rules: INSTEAD, user: INSTEAD, list: INSTEAD }),
	body('rules and users of wrong types', '{"id":{},"recipients":"all","opens":"many","time":[]}', {
		rules: INSTEAD,
		user: INSTEAD,
		list: INSTEAD,
	}),
];
