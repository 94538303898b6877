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
export type Outcome = (typeof OUTCOMES)[number] | undefined;

/** The first that is found counts. Doubtful: what it says to people might mean that nothing changed. */
const OUTCOMES = ['failed', 'pending', 'done', 'doubtful'] as const;

/** How far down a response is looked at, and how much of a text. */
const MAX_LEVELS = 4;
const MAX_TEXT = 200;

/** Names as `normalizeKey` returns them: `errors`, `error_message` or `has_error`, but not `error_page_url`. */
const FAILURE =
	/^(has|is)?(error|exception|fault|failure|failed)s?(message|msg|description|detail|code|text|reason|type|list|info|status)?s?$/;
const SUCCESS = /(?<!un)(success|successful|succeeded|acknowledged)$|^(is)?ok$/;
const DELETION = /(?<!not|un|be)(deleted|removed|erased|destroyed|affected)/;
/** Of a change: how many records it changed. One that shows what was sent already can say none. */
const CHANGE = /updated|modified|change[ds]|affected|matched|saved|written|^rowcount$/;
const MESSAGE = /^(message|msg|detail|description)$/;
/** `country_code` is another code. */
const STATUS = /(status|state|result|outcome)$|^(status|http|httpstatus)?code$/;

/** Other texts, such as "active", say nothing of the request. */
const FAILED_TEXT =
	/^[45]\d\d$|^\W*(?!no |without )(\w+ )?(error|exception|fail(ed|ure)?|denied|forbidden|refused|rejected|unauthorized|invalid|aborted|cancell?ed|locked|cannot|can't|unable|not)\b/i;
/** Codes, such as those of gRPC: each the whole value. What was "not_sent" is something else than the request. */
const FAILED_CODE =
	/^(ko|nok|not_(found|allowed|authorized|deleted|permitted|supported)|(failed|invalid)_\w+|\w+_(denied|failed|error|refused|rejected|forbidden))$/i;
const NO_FAILURE = /^\W*(0+|null|none|no[ _]?errors?|ok|success(ful)?)\W*$/i;
const PENDING_TEXT =
	/^(queued|enqueued|scheduled|accepted|submitted|deferred|in[ _-]?progress|pending_(deletion|removal)|\w+ing)$/i;
const DONE_TEXT = /^\W*(ok|done|completed?|succe\w+|2\d\d)\W*$|\b(deleted|removed|erased)\b/i;
const OF_PART = /.(status|state|result|outcome)$/i;
const AT_REST = /^(locked|scheduled)$/i;
/** What a text names has words of its own. */
const NAMED = /"[^"]*"|(?<!\w)'[^']*'(?!\w)|(?<!\S)[^\s@]+@\S+/g;
/** Takes back what it says. */
const NEGATION =
	/\b(0|no|none|nothing|not|never|cannot|fail\w*|error|unable|will|be|to get|queued|pending|scheduled|after|once|when|until|upon|within|shortly|soon|in [\d.]+(?![\d.]| ?m?s\b))\b|n't/i;
/** What a service says to people of a change that it might not have made. */
const DOUBT =
	/\b(0|no|none|nothing|not|never|cannot|fail\w*|unable|denied|refused|rejected|invalid|locked|unchanged)\b|n't/i;

/**
 * What a response with a status of success plainly says of the request. One without content says that it is done.
 *
 * The response to a deletion, and a new record, speak of the request wherever they name a failure or a status. The fields
 * of a contact, and of any record that was asked for, are its own. What holds the latter is part of it.
 */
export function getOutcome(body: Body, status: number, method: IHttpRequestMethods): Outcome {
	const found = listOutcomes(body, method);
	if ([202, 207].includes(status)) found.push('pending');
	return OUTCOMES.find((outcome) => found.includes(outcome));
}

function listOutcomes(body: Body, method: IHttpRequestMethods): Outcome[] {
	if (body.kind === 'empty') return ['done'];
	if (body.kind === 'text') return [getTextOutcome(body.text)];
	if (body.kind !== 'json') return [];
	const { value } = body;
	if (isObject(value)) return isFilled(value) ? listInside(value, method) : ['done'];
	// Such as whether a row was deleted, or how many were.
	if (value === null || Number(value) > 0) return ['done'];
	return [getFlagOutcome(value) ?? getTextOutcome(String(value))];
}

function listInside(value: unknown, method: IHttpRequestMethods, level = 1): Outcome[] {
	if (level > MAX_LEVELS) return [];
	if (Array.isArray(value)) return value.flatMap((entry) => listInside(entry, method, level + 1));
	if (!isRecord(value) || isOwn(value, method)) return [];
	// The ID can be that of a request that failed, or of a record with a status of its own: only a read can tell.
	const isUnclear = ['PATCH', 'DELETE'].includes(method) && (hasId(value) || hasEmail(value));
	const isContact = method === 'PATCH' && hasEmail(value);
	const holdsNew = isRecord(value.container) && isFilled(value.container.uuid);
	const isNew = method === 'POST' && (isFilled(value.uuid) || holdsNew);
	const found = Object.entries(value).flatMap(([key, held]) => {
		const own = getFieldOutcome(normalizeKey(key), held, method);
		// A new record is there, whatever its delivery and the like still wait for.
		const waits = AT_REST.test(String(held)) || (own === 'pending' && OF_PART.test(key));
		if (isNew && STATUS.test(normalizeKey(key)) && waits) return [];
		// The parts of a record, such as its recipients, have a status of their own.
		const isPart = method !== 'DELETE' && (level > 1 || Array.isArray(held));
		const inside = isPart ? [] : listInside(held, method, level + 1);
		const isBeside = isNew && key !== 'container';
		return [own, ...(isBeside ? inside.filter((outcome) => outcome !== 'pending') : inside)];
	});
	const others = (outcome: Outcome) => (isContact ? undefined : outcome);
	return found.map((outcome) => (isUnclear && outcome === 'failed' ? 'pending' : others(outcome)));
}

/** Whether the fields of an object are those of a record, or of what holds the one that was asked for. */
function isOwn(value: IDataObject, method: IHttpRequestMethods): boolean {
	if (method !== 'GET') return false;
	const { container, contact } = normalizeKeys(value);
	return hasId(value) || hasEmail(value) || [container, contact].some(isFilled);
}

function hasId(value: IDataObject): boolean {
	return [value, normalizeKeys(value)].flatMap((record) => pick(record, 'id')).some(isFilled);
}

function hasEmail(value: IDataObject): boolean {
	return pick(normalizeKeys(value), 'email').some(isFilled);
}

function getFieldOutcome(name: string, value: unknown, method: IHttpRequestMethods): Outcome {
	const isDeletion = method === 'DELETE';
	const isSome = isFilled(value) && !isNo(value);
	if (FAILURE.test(name)) return saysFailure(value) ? 'failed' : undefined;
	if (SUCCESS.test(name)) return getFlagOutcome(value);
	if (isDeletion && DELETION.test(name)) return isSome ? 'done' : getFlagOutcome(value);
	const isNone = isNo(value) || (isObject(value) && !isFilled(value));
	if (method === 'PATCH' && CHANGE.test(name) && isNone) return 'pending';
	if (isObject(value)) return undefined;
	if (STATUS.test(name)) {
		return typeof value === 'boolean' ? getFlagOutcome(value) : getTextOutcome(String(value));
	}
	if (!MESSAGE.test(name)) return undefined;
	const text = String(value).replace(NAMED, '');
	const said = getTextOutcome(text);
	// A name without quotes can sound like a failure: only a read can tell.
	if (isDeletion) return said === 'failed' && DONE_TEXT.test(text) ? undefined : said;
	const isInDoubt = said === 'failed' || said === 'pending' || DOUBT.test(text);
	return method === 'PATCH' && isInDoubt ? 'doubtful' : undefined;
}

/** A field for failures can say that there is none, in text or part by part. */
function saysFailure(value: unknown): boolean {
	if (isObject(value)) return Object.values(value).some(saysFailure);
	return isFilled(value) && !isNo(value) && !NO_FAILURE.test(String(value));
}

function getFlagOutcome(value: unknown): Outcome {
	if (isNo(value)) return 'failed';
	return isYes(value) ? 'done' : undefined;
}

function getTextOutcome(text: string): Outcome {
	const start = text.slice(0, MAX_TEXT);
	if (FAILED_TEXT.test(start) || FAILED_CODE.test(start)) return 'failed';
	if (PENDING_TEXT.test(start)) return 'pending';
	return DONE_TEXT.test(start) && !NEGATION.test(start) ? 'done' : undefined;
}
