import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';

import type { Body } from './parseBody';
import { isFilled, isNo, isObject, isRecord, isYes, normalizeKeys, pick } from './shapes';
import { toWords } from './words';

/** What a response with a status of success says of the request; undefined where it says nothing of it. */
export type Outcome = 'failed' | 'pending' | 'done' | undefined;

/** How many fields and entries, and how far down, are looked at. */
const MAX_ENTRIES = 1000;
const MAX_LEVELS = 4;
const MAX_TEXT = 200;

const FAILURE = ['error', 'exception', 'fault', 'failure', 'failed'];
const FAILURE_DETAILS = [
	...['message', 'msg', 'description', 'detail', 'details', 'code', 'text', 'reason', 'type'],
	...['has', 'is', 'list', 'info', 'status'],
];
const SUCCESS = ['success', 'successful', 'succeeded', 'ok', 'acknowledged'];
const DELETION = ['deleted', 'removed', 'erased', 'destroyed', 'affected'];
const MESSAGE = ['message', 'msg', 'detail', 'description'];
const STATUS = ['status', 'state', 'result', 'outcome', 'code'];

/** Other texts of a status, such as "active", say nothing of the request. */
const FAILED_STATUS =
	/^(error|fail|failed|failure|denied|refused|rejected|forbidden|unauthorized|invalid|aborted|canceled|cancelled|locked|[45]\d\d)$/i;
const DONE_STATUS = /^(ok|success|successful|succeeded|done|completed?|deleted|removed|2\d\d)$/i;
const PENDING_STATUS =
	/^(queued|enqueued|scheduled|accepted|submitted|deferred|in[ _-]?progress|\w+ing)$/i;
const FAILED_TEXT =
	/^\W*(?!no |without )(\w+ )?(error|exception|fail(ed|ure)?|denied|forbidden|refused|rejected|locked|cannot|can't|unable|not)\b/i;
const DONE_TEXT = /^\W*(ok|done|success\w*)\W*$|\b(deleted|removed|erased)\b/i;
/** Takes back what it says. */
const NEGATION =
	/\b(no|not|never|cannot|can't|fail\w*|error|unable|will|queued|pending|scheduled)\b|n't/i;

/**
 * Says what a response with a status of success tells of the request: whether it plainly failed, is not done yet, or is
 * plainly done, which a response without content is too.
 *
 * The response to a deletion, and a new record, speak of the request wherever they name a failure or a status. The fields
 * of any other record, which has an identifier, are its own. What holds a record that was asked for is part of it.
 */
export function getOutcome(body: Body, status: number, method: IHttpRequestMethods): Outcome {
	const found = new Set<Outcome>(status === 202 ? ['pending'] : []);
	if (body.kind === 'empty') found.add('done');
	else if (body.kind === 'text') found.add(getTextOutcome(body.text));
	else if (body.kind === 'json') {
		if (isObject(body.value)) addOutcomes(body.value, method, 1, found);
		else found.add(getScalarOutcome(body.value));
	}
	return (['failed', 'pending', 'done'] as const).find((outcome) => found.has(outcome));
}

/** Whether a value plainly reports a failure; `method` as in getOutcome. */
export function reportsFailure(value: unknown, method: IHttpRequestMethods = 'DELETE'): boolean {
	return getOutcome({ kind: 'json', value }, 200, method) === 'failed';
}

function addOutcomes(
	value: object,
	method: IHttpRequestMethods,
	level: number,
	found: Set<Outcome>,
): void {
	if (level === 1 && !isFilled(value)) found.add('done');
	if (method !== 'POST' && method !== 'DELETE' && isRecord(value) && isOwn(value, method)) return;
	const fields = Object.entries(value).slice(0, MAX_ENTRIES);
	const isList = Array.isArray(value);
	for (const [key, held] of fields) {
		if (!isList) found.add(getFieldOutcome(key, held, method));
		// The parts of a record, such as its recipients, have a status of their own.
		const isPart = method !== 'DELETE' && (level > 1 || Array.isArray(held)) && !isList;
		if (isObject(held) && !isPart && level < MAX_LEVELS) {
			addOutcomes(held, method, level + 1, found);
		}
	}
}

/** Whether the fields of an object are those of a record, or of what holds the one that was asked for. */
function isOwn(value: IDataObject, method: IHttpRequestMethods): boolean {
	const fields = normalizeKeys(value);
	const held = method === 'GET' ? [fields.container, fields.contact] : [];
	const own = [value, fields].flatMap((record) => pick(record, 'id'));
	return [...own, ...pick(fields, 'email'), ...held].some(isFilled);
}

function getFieldOutcome(key: string, value: unknown, method: IHttpRequestMethods): Outcome {
	const words = toWords(key);
	const names = (known: string[]) => words.some((word) => known.includes(word));
	if (namesFailure(words)) return isFilled(value) && !isNo(value) ? 'failed' : undefined;
	if (names(SUCCESS)) return getFlagOutcome(value);
	if (method === 'DELETE' && names(DELETION)) {
		return isNo(value) ? 'failed' : isFilled(value) ? 'done' : undefined;
	}
	if (method === 'DELETE' && typeof value === 'string' && names(MESSAGE))
		return getTextOutcome(value);
	// `country_code` is another code.
	const isStatus = STATUS.includes(words.at(-1) ?? '');
	const isOther = words.at(-1) === 'code' && !names(['status', 'http']) && words.length > 1;
	if (!isStatus || isOther) return undefined;
	if (typeof value === 'boolean') return getFlagOutcome(value);
	return isObject(value) ? undefined : getStatusOutcome(String(value).slice(0, MAX_TEXT));
}

/** Such as `errors`, `error_message` or `has_error`, but not `max_failed_attempts` or `error_page_url`. */
function namesFailure(words: string[]): boolean {
	const others = words.filter((word) => !FAILURE.includes(word));
	return others.length < words.length && others.every((word) => FAILURE_DETAILS.includes(word));
}

function getFlagOutcome(value: unknown): Outcome {
	if (isNo(value)) return 'failed';
	return isYes(value) ? 'done' : undefined;
}

function getStatusOutcome(status: string): Outcome {
	if (FAILED_STATUS.test(status)) return 'failed';
	if (PENDING_STATUS.test(status)) return 'pending';
	return DONE_STATUS.test(status) ? 'done' : undefined;
}

/** Such as whether a row was deleted, or how many were. */
function getScalarOutcome(value: unknown): Outcome {
	if (isNo(value)) return 'failed';
	if (value === null || value === true || Number(value) > 0) return 'done';
	return typeof value === 'string' ? getTextOutcome(value) : undefined;
}

function getTextOutcome(text: string): Outcome {
	const start = text.slice(0, MAX_TEXT);
	if (FAILED_TEXT.test(start)) return 'failed';
	return DONE_TEXT.test(start) && !NEGATION.test(start) ? 'done' : undefined;
}
