import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';

import type { Body } from './body';
import {
	isFilled,
	isNo,
	isObject,
	isRecord,
	isYes,
	normalizeKey,
	normalizeKeys,
	pick,
} from './shapes';

/** What a response with a status of success says of the request; undefined where it says nothing of it. */
export type Outcome = 'failed' | 'pending' | 'done' | undefined;

/** How far down a response is looked at, and how much of a text. */
const MAX_LEVELS = 4;
const MAX_TEXT = 200;

/** Names as `normalizeKey` returns them: `errors`, `error_message` or `has_error`, but not `error_page_url`. */
const FAILURE =
	/^(has|is)?(error|exception|fault|failure|failed)s?(message|msg|description|detail|code|text|reason|type|list|info|status)?s?$/;
const SUCCESS = /(?<!un)(success|successful|succeeded|acknowledged)$|^(is)?ok$/;
const DELETION = /deleted|removed|erased|destroyed|affected/;
/** Of a change: how many records it changed. One that shows what was sent already can say none. */
const CHANGE = /updated|modified|change[ds]|affected|matched|saved|written|^rowcount$/;
const MESSAGE = /^(message|msg|detail|description)$/;
/** `country_code` is another code. */
const STATUS = /(status|state|result|outcome)$|^(status|http|httpstatus)?code$/;

/** Other texts, such as "active", say nothing of the request. */
const FAILED_TEXT =
	/^[45]\d\d$|^\W*(?!no |without )(\w+ )?(error|exception|fail(ed|ure)?|denied|forbidden|refused|rejected|unauthorized|invalid|aborted|cancell?ed|locked|cannot|can't|unable|not)\b/i;
const PENDING_TEXT =
	/^(queued|enqueued|scheduled|accepted|submitted|deferred|in[ _-]?progress|\w+ing)$/i;
const DONE_TEXT = /^\W*(ok|done|completed?|succe\w+|2\d\d)\W*$|\b(deleted|removed|erased)\b/i;
/** Takes back what it says. */
const NEGATION =
	/\b(no|not|never|cannot|fail\w*|error|unable|will|queued|pending|scheduled)\b|n't/i;

/**
 * Says what a response with a status of success tells of the request: whether it plainly failed, is not done yet, or is
 * plainly done, which a response without content is too.
 *
 * The response to a deletion, and a new record, speak of the request wherever they name a failure or a status. The fields
 * of a contact, and of any record that was asked for, are its own. What holds the latter is part of it.
 */
export function getOutcome(body: Body, status: number, method: IHttpRequestMethods): Outcome {
	const found = new Set<Outcome>([202, 207].includes(status) ? ['pending'] : []);
	if (body.kind === 'empty') found.add('done');
	else if (body.kind === 'text') found.add(getTextOutcome(body.text));
	else if (body.kind === 'json') {
		if (isObject(body.value)) addOutcomes(body.value, method, 1, found);
		else found.add(getScalarOutcome(body.value));
	}
	return (['failed', 'pending', 'done'] as const).find((outcome) => found.has(outcome));
}

function addOutcomes(
	value: object,
	method: IHttpRequestMethods,
	level: number,
	found: Set<Outcome>,
): void {
	if (level === 1 && !isFilled(value)) found.add('done');
	if (method !== 'POST' && method !== 'DELETE' && isRecord(value) && isOwn(value, method)) return;
	const isList = Array.isArray(value);
	// The ID can be that of a request that failed, or of a container with a status of its own: only a read can tell.
	const isUnclear = method === 'PATCH' && isRecord(value) && hasId(value);
	for (const [key, held] of Object.entries(value)) {
		const outcome = isList ? undefined : getFieldOutcome(normalizeKey(key), held, method);
		found.add(isUnclear && outcome === 'failed' ? 'pending' : outcome);
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
	const isAsked =
		method === 'GET' && (hasId(value) || [fields.container, fields.contact].some(isFilled));
	return isAsked || pick(fields, 'email').some(isFilled);
}

function hasId(value: IDataObject): boolean {
	return [value, normalizeKeys(value)].flatMap((record) => pick(record, 'id')).some(isFilled);
}

function getFieldOutcome(name: string, value: unknown, method: IHttpRequestMethods): Outcome {
	const isDeletion = method === 'DELETE';
	if (FAILURE.test(name)) return isFilled(value) && !isNo(value) ? 'failed' : undefined;
	if (SUCCESS.test(name)) return getFlagOutcome(value);
	if (isDeletion && DELETION.test(name)) {
		return isFilled(value) && !isNo(value) ? 'done' : getFlagOutcome(value);
	}
	const isNone = isNo(value) || (isObject(value) && !isFilled(value));
	if (method === 'PATCH' && CHANGE.test(name) && isNone) return 'pending';
	if (isObject(value)) return undefined;
	if (STATUS.test(name)) {
		return typeof value === 'boolean' ? getFlagOutcome(value) : getTextOutcome(String(value));
	}
	return isDeletion && MESSAGE.test(name) ? getTextOutcome(String(value)) : undefined;
}

function getFlagOutcome(value: unknown): Outcome {
	if (isNo(value)) return 'failed';
	return isYes(value) ? 'done' : undefined;
}

/** Such as whether a row was deleted, or how many were. */
function getScalarOutcome(value: unknown): Outcome {
	if (value === null || Number(value) > 0) return 'done';
	return getFlagOutcome(value) ?? getTextOutcome(String(value));
}

function getTextOutcome(text: string): Outcome {
	const start = text.slice(0, MAX_TEXT);
	if (FAILED_TEXT.test(start)) return 'failed';
	if (PENDING_TEXT.test(start)) return 'pending';
	return DONE_TEXT.test(start) && !NEGATION.test(start) ? 'done' : undefined;
}
