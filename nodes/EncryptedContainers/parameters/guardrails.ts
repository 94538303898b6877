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
 * Checks rules as they are sent, at any depth and in any spelling: those of a change, where the others stay as they are,
 * or those of a new container.
 *
 * @throws UserError that says which guardrail they break
 */
export function assertRulesAllowed(sent: unknown, guardrails: Guardrails, today: string): void {
	for (const rules of listRules(sent)) assertAllowed(rules, guardrails, today);
}

/** As assertRulesAllowed, for a new container: what is missing can break a guardrail, too. */
export function assertManifestAllowed(
	manifest: IDataObject & { container: IDataObject },
	guardrails: Guardrails,
	today: string,
): void {
	assertRulesAllowed(manifest, guardrails, today);
	const { container } = manifest;
	const { allowedRecipients, maxAccessDays, forbidDownload } = guardrails;
	const drm = isRecord(container.drm) ? container.drm : {};
	// Recipients and the like can stand beside the other rules.
	const recipients = [container.recipients, drm.recipients].flatMap(toList);
	const isViewOnly = [container.downloadable, drm.downloadable].some(isSet);
	if (allowedRecipients !== undefined && recipients.length === 0) {
		throw createError('allowedRecipients', 'a container without recipients', guardrails, today);
	}
	if (maxAccessDays !== undefined && !(isRecord(drm.time) && isSet(drm.time.end))) {
		throw createError('maxAccessDays', NO_END, guardrails, today);
	}
	if (forbidDownload && !isViewOnly) {
		throw createError('forbidDownload', DOWNLOAD, guardrails, today);
	}
}

function assertAllowed(rules: IDataObject, guardrails: Guardrails, today: string): void {
	const { allowedRecipients, maxAccessDays, forbidDownload } = guardrails;
	const others = listNotCovered(toList(rules.recipients), allowedRecipients);
	if (others.length > 0) {
		throw createError('allowedRecipients', listNames(others), guardrails, today);
	}
	if (maxAccessDays !== undefined && changesEnd(rules)) {
		const end = isRecord(rules.time) ? rules.time.end : undefined;
		const day = parseServiceDate(end);
		if (day === undefined || day > addDays(today, maxAccessDays)) {
			const entered = isSet(end) ? `access until ${day ?? JSON.stringify(end)}` : NO_END;
			throw createError('maxAccessDays', entered, guardrails, today);
		}
	}
	const isDownload = parseRule('downloadable', rules.downloadable) !== false;
	// Null and an empty text clear the rule.
	if (forbidDownload && rules.downloadable !== undefined && isDownload) {
		throw createError('forbidDownload', DOWNLOAD, guardrails, today);
	}
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
		forbidDownload: 'no download',
	}[rule];
	return new UserError(`The credential doesn't allow ${entered}`, {
		description: `Nothing was sent. "${LABELS[rule]}" in the credential allows ${allowed}. Whoever can edit the credential can change it.`,
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

/** All rules, one by one, however deep; keys as the documented ones. A rule in two spellings is two rules. */
function listRules(value: unknown): IDataObject[] {
	if (!isObject(value)) return [];
	const below = Object.values(value).flatMap(listRules);
	if (!isRecord(value)) return below;
	return [
		...Object.entries(value).flatMap(([key, held]) => toRules(normalizeKey(key), held)),
		...below,
	];
}

function toRules(key: string, held: unknown): IDataObject[] {
	if (!RULE_KEYS.includes(key)) return [];
	if (key !== 'time' || !isRecord(held) || Object.keys(held).length === 0) {
		return [{ [key]: held } as IDataObject];
	}
	return Object.entries(held).map(([part, day]) => ({ time: { [normalizeKey(part)]: day } }));
}
