import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { isSet, parseRule, RULE_KEYS } from '../../shared/api/ruleValues';
import type { Session } from '../../shared/client/session';
import { addDays, MAX_DAYS, parseServiceDate } from '../../shared/parameters/dates';
import { parseBoolean, parseInteger } from '../../shared/parameters/scalars';
import { isObject, isRecord, normalizeKey } from '../../shared/responses/shapes';
import { listNames, listNotCovered, parseAllowedRecipients } from './allowedRecipients';

const LABELS = {
	allowedRecipients: 'Allowed Recipients',
	maxAccessDays: 'Longest Access (Days)',
	forbidDownload: 'Forbid Download',
} as const;

const NO_END = 'access without an end';
const DOWNLOAD = 'files that can be downloaded';
const WHO_CAN_CHANGE_IT = 'Whoever can edit the credential can change it.';

/** What JSON can hold with guardrails, as paths (docs/openapi.yaml, DrmRules and Manifest). */
const RULE_PATHS =
	'dynamic|opens|downloadable|recipients(\\[\\])?|time(\\.(start|end)?)?|(geo|ip)(\\.((allow|block)(\\[\\](\\.(country|continent|subdivision|city)?)?)?)?)?';
const DOCUMENTED_RULES = new RegExp(`^(${RULE_PATHS})?$`);
const DOCUMENTED_MANIFEST = new RegExp(
	`^(container\\.(name|password|downloadable|recipients(\\[\\])?|drm\\.(${RULE_PATHS})?)?)?$`,
);

/** What whoever owns the API key allows to give away with it. */
export interface Guardrails {
	/** Addresses and wildcards; undefined for everybody. */
	allowedRecipients?: string[];
	/** Undefined for no limit. */
	maxAccessDays?: number;
	forbidDownload: boolean;
}

/** The guardrails of the credential, whose fields can be empty. */
export function getGuardrails({ connection }: Pick<Session, 'connection'>): Guardrails {
	const fields = Object.entries(connection.credential.data ?? {});
	const isBlank = (value: unknown) => String(value ?? '').trim() === '';
	const filled = fields.filter(([, value]) => !isBlank(value));
	return parseGuardrails(Object.fromEntries(filled) as IDataObject, 'credential');
}

/**
 * @param place of the fields, for messages
 * @throws UserError naming the field that can't be used: a rule must not be dropped silently
 */
export function parseGuardrails(fields: IDataObject, place: string): Guardrails {
	const parse = <T, D>(
		name: keyof typeof LABELS,
		fallback: D,
		parser: (value: unknown, label: string) => T,
	) =>
		Object.hasOwn(fields, name) ? parser(fields[name], `${LABELS[name]} (${place})`) : fallback;
	return {
		allowedRecipients: parse('allowedRecipients', undefined, parseAllowedRecipients),
		maxAccessDays: parse('maxAccessDays', undefined, (value, label) =>
			parseInteger(value, label, 0, MAX_DAYS),
		),
		forbidDownload: parse('forbidDownload', false, parseBoolean),
	};
}

/** Whether nothing is limited. */
export function isEmptyPolicy(policy: Guardrails & { requireEnd?: boolean }): boolean {
	return Object.values(policy).every((rule) => rule === undefined || rule === false);
}

/**
 * Checks rules as they are sent: those of a change, where the others stay as they are.
 *
 * @throws UserError that says which guardrail they break
 */
export function assertRulesAllowed(
	rules: IDataObject,
	guardrails: Guardrails,
	today: string,
): void {
	assertDocumented(rules, DOCUMENTED_RULES, guardrails);
	assertAllowed(rules, guardrails, today);
}

/** The recipients in rules as they are sent, at any depth and in any spelling. What can't be understood is one of them. */
export function listRecipients(sent: unknown): string[] {
	if (!isObject(sent)) return [];
	return Object.entries(sent).flatMap(([key, held]) =>
		normalizeKey(key) === 'recipients' ? toList(held) : listRecipients(held),
	);
}

/** As assertRulesAllowed, for a new container: what is missing can break a guardrail, too. */
export function assertManifestAllowed(
	manifest: IDataObject & { container: IDataObject },
	guardrails: Guardrails,
	today: string,
): void {
	assertDocumented(manifest, DOCUMENTED_MANIFEST, guardrails);
	const { container } = manifest;
	const { allowedRecipients, maxAccessDays, forbidDownload } = guardrails;
	const drm = isRecord(container.drm) ? container.drm : {};
	// Recipients and the like can stand beside the other rules.
	const places = [container, drm];
	for (const rules of places) assertAllowed(rules, guardrails, today);
	const recipients = places.flatMap((rules) => toList(rules.recipients));
	if (allowedRecipients !== undefined && recipients.length === 0) {
		throw createError('allowedRecipients', 'a container without recipients', guardrails, today);
	}
	if (maxAccessDays !== undefined && !(isRecord(drm.time) && isSet(drm.time.end))) {
		throw createError('maxAccessDays', NO_END, guardrails, today);
	}
	if (forbidDownload && !places.some(({ downloadable }) => downloadable === false)) {
		throw createError('forbidDownload', DOWNLOAD, guardrails, today);
	}
}

/** A file could stand for the manifest, with other rules. @throws UserError for a name that is not one of a file */
export function assertFilePartAllowed(name: string, guardrails: Guardrails): void {
	if (isEmptyPolicy(guardrails) || /^files?(\[\])?$/.test(name)) return;
	throw new UserError(`The credential doesn't allow "${name}" as "File Part Name"`, {
		description: `Nothing was sent. With guardrails in the credential, the part of a file is "file" or "files", so that no file takes the place of the manifest. ${WHO_CAN_CHANGE_IT}`,
	});
}

function assertAllowed(rules: IDataObject, guardrails: Guardrails, today: string): void {
	const { allowedRecipients, maxAccessDays, forbidDownload } = guardrails;
	const others = listNotCovered(toList(rules.recipients), allowedRecipients);
	if (others.length > 0) {
		throw createError('allowedRecipients', listNames(others), guardrails, today);
	}
	if (maxAccessDays !== undefined && changesEnd(rules)) {
		const end = isRecord(rules.time) ? rules.time.end : undefined;
		// A number is seconds to one service, and milliseconds to another.
		const day = typeof end === 'string' && end.includes('-') ? parseServiceDate(end) : undefined;
		if (day === undefined || day > addDays(today, maxAccessDays)) {
			const entered = isSet(end) ? `access until ${day ?? JSON.stringify(end)}` : NO_END;
			throw createError('maxAccessDays', entered, guardrails, today);
		}
	}
	// Null clears the rule, and the text "false" is true to many languages.
	if (forbidDownload && ![undefined, false].includes(rules.downloadable as undefined)) {
		throw createError('forbidDownload', DOWNLOAD, guardrails, today);
	}
}

/** What the service does with another field nobody knows: it could add recipients. */
function assertDocumented(sent: IDataObject, documented: RegExp, guardrails: Guardrails): void {
	if (isEmptyPolicy(guardrails)) return;
	const other = listPaths(sent).find((path) => !documented.test(path));
	if (other === undefined) return;
	const field = other.replace(/(\.|\[\])$/, '').slice(0, 100);
	throw new UserError(`The credential doesn't allow "${field}", because it is not documented`, {
		description: `Nothing was sent. A guardrail in the credential allows only documented rules in JSON: ${RULE_KEYS.join(', ')}. Remove "${field}". ${WHO_CAN_CHANGE_IT}`,
	});
}

/** All that JSON holds, as paths such as `opens`, `time.`, `time.end` and `recipients[]`. */
function listPaths(value: unknown, path = ''): string[] {
	if (Array.isArray(value)) {
		return [`${path}[]`, ...value.flatMap((entry) => listPaths(entry, `${path}[]`))];
	}
	if (!isRecord(value)) return [path];
	const own = path && `${path}.`;
	const below = Object.entries(value).flatMap(([key, held]) =>
		// A key can contain a dot.
		listPaths(held, `${own}${/^\w+$/.test(key) ? key : JSON.stringify(key)}`),
	);
	return [own, ...below];
}

function createError(
	rule: keyof typeof LABELS,
	entered: string,
	{ allowedRecipients = [], maxAccessDays = 0 }: Guardrails,
	today: string,
): UserError {
	const allowed = {
		allowedRecipients: `only ${listNames(allowedRecipients)}`,
		maxAccessDays: `access until ${addDays(today, maxAccessDays)} at the latest (${maxAccessDays} days from today)`,
		forbidDownload: 'no download ("downloadable": false)',
	}[rule];
	return new UserError(`The credential doesn't allow ${entered}`, {
		description: `Nothing was sent. "${LABELS[rule]}" in the credential allows ${allowed}. ${WHO_CAN_CHANGE_IT}`,
	});
}

/** Whether a change sets or removes the end: null and an empty object clear the whole window. */
function changesEnd({ time }: IDataObject): boolean {
	if (time === undefined) return false;
	return !isRecord(time) || Object.keys(time).length === 0 || Object.hasOwn(time, 'end');
}

function toList(recipients: unknown): string[] {
	const list = isSet(recipients) ? parseRule('recipients', recipients) : [];
	return Array.isArray(list) ? list.map(String) : [JSON.stringify(recipients)];
}
