import { UserError, type IDataObject } from 'n8n-workflow';

import { isSet, RULE_KEYS } from '../../shared/api/ruleValues';
import type { ServiceClient } from '../../shared/client/client';
import { isWildcard } from '../../shared/parameters/addresses';
import { addDays, MAX_DAYS, parseServiceDate } from '../../shared/parameters/dates';
import { parseBoolean, parseInteger } from '../../shared/parameters/scalars';
import { isFilled, isObject, isRecord, normalizeKey } from '../../shared/responses/shapes';
import type { RecipientPolicy } from './allowedRecipients';
import {
	assertRecipientsAllowed,
	isPlain,
	listNames,
	listNotCovered,
	parseAllowedRecipients,
} from './allowedRecipients';

// Each assertion throws a UserError that says which guardrail is broken.

const LABELS = {
	allowedRecipients: 'Allowed Recipients',
	maxAccessDays: 'Longest Access (Days)',
	forbidDownload: 'Forbid Download',
} as const;

const WHO_CAN_CHANGE_IT = 'Whoever can edit the credential can change it.';

/** What JSON can hold with guardrails, as paths (docs/openapi.yaml, DrmRules and Manifest). */
const RULE_PATHS =
	'dynamic|opens|downloadable|recipients(\\[\\])?|time(\\.(start|end)?)?|(geo|ip)(\\.((allow|block)(\\[\\](\\.(country|continent|subdivision|city)?)?)?)?)?';
const DOCUMENTED = {
	rules: new RegExp(`^(${RULE_PATHS})?$`),
	manifest: new RegExp(
		`^(container\\.(name|password|downloadable|recipients(\\[\\])?|drm\\.(${RULE_PATHS})?)?)?$`,
	),
};

/** What whoever owns the API key allows to give away with it, or what a policy demands. */
export interface Guardrails {
	/** Addresses and wildcards; undefined for everybody. */
	allowedRecipients?: string[];
	maxAccessDays?: number;
	forbidDownload?: boolean;
	requireEnd?: boolean;
}

export function getGuardrails({ connection }: Pick<ServiceClient, 'connection'>): Guardrails {
	const fields = Object.entries(connection.credential.data ?? {});
	// Not undefined or null: an expression that finds nothing must not lift a guardrail.
	const filled = fields.filter(([, value]) => String(value).trim() !== '');
	return parseGuardrails(Object.fromEntries(filled) as IDataObject, 'credential');
}

/** @throws UserError naming the field and its place: a rule that can't be used must not be dropped silently */
export function parseGuardrails(fields: IDataObject, place: string): Guardrails {
	const parse = <T>(name: keyof typeof LABELS, parser: (value: unknown, label: string) => T) =>
		Object.hasOwn(fields, name) ? parser(fields[name], `${LABELS[name]} (${place})`) : undefined;
	return {
		allowedRecipients: parse('allowedRecipients', parseAllowedRecipients),
		maxAccessDays: parse('maxAccessDays', (days, label) => parseInteger(days, label, 0, MAX_DAYS)),
		forbidDownload: parse('forbidDownload', parseBoolean),
	};
}

export function isEmptyPolicy(policy: Guardrails): boolean {
	return Object.values(policy).every((rule) => rule === undefined || rule === false);
}

/** Checks rules as they are sent: those of a change, where the others stay as they are. */
export function assertRulesAllowed(rules: IDataObject, guardrails: Guardrails, today = ''): void {
	if (isEmptyPolicy(guardrails)) return;
	assertDocumented(rules, 'rules', 'credential');
	const { time, downloadable } = rules;
	// Null and an empty object clear the whole window.
	const keepsEnd = isRecord(time) && isFilled(time) && !Object.hasOwn(time, 'end');
	if (time !== undefined && !keepsEnd) assertEnd(time, guardrails, today);
	assertRecipients(listRecipients(rules), guardrails);
	if (downloadable !== undefined) assertNoDownload([downloadable], guardrails);
}

/** As assertRulesAllowed, for a new container: what is missing can break a guardrail, too. */
export function assertManifestAllowed(
	manifest: IDataObject & { container: IDataObject },
	guardrails: Guardrails,
	today: string,
): void {
	if (isEmptyPolicy(guardrails)) return;
	assertDocumented(manifest, 'manifest', 'credential');
	const { container } = manifest;
	const drm = isRecord(container.drm) ? container.drm : {};
	// Recipients and the like can stand beside the other rules.
	const places = [container, drm];
	assertRecipients(places.flatMap(listRecipients), guardrails, true);
	assertEnd(drm.time, guardrails, today);
	const downloads = places.map(({ downloadable }) => downloadable);
	assertNoDownload(downloads, guardrails);
}

/** As assertRecipientsAllowed, for the recipients in JSON as it is sent, and whatever the service could take for some. */
export function assertJsonAllowed(
	sent: IDataObject,
	kind: keyof typeof DOCUMENTED,
	raw: unknown,
	label: string,
	policy: RecipientPolicy,
): void {
	if (policy.allowed !== undefined) assertDocumented(sent, kind, 'node');
	assertRecipientsAllowed(findRecipients(sent), raw, label, policy);
}

/** The recipients in JSON at any depth and in any spelling, and wildcards for addresses under any name. */
function findRecipients(sent: unknown): string[] {
	if (typeof sent === 'string') return isWildcard(sent) && isPlain(sent) ? [sent] : [];
	if (!isObject(sent)) return [];
	return Object.entries(sent as IDataObject).flatMap(([key, held]) =>
		normalizeKey(key) === 'recipients'
			? listRecipients({ recipients: held })
			: findRecipients(held),
	);
}

/** The recipients in rules as they are sent. What can't be understood is one of them. */
export function listRecipients({ recipients }: IDataObject): string[] {
	if (!isSet(recipients)) return [];
	const entries: unknown[] = Array.isArray(recipients) ? recipients.filter(isSet) : [recipients];
	return entries.map((entry) => (isObject(entry) ? 'an object' : String(entry)));
}

function assertRecipients(recipients: string[], guardrails: Guardrails, isNew = false): void {
	const { allowedRecipients: allowed } = guardrails;
	const isForNobody = isNew && recipients.length === 0;
	const others = listNotCovered(recipients, allowed);
	if (allowed === undefined || (others.length === 0 && !isForNobody)) return;
	const what = isForNobody ? 'a container without recipients' : listNames(others);
	throw createError('allowedRecipients', what, `only ${listNames(allowed)}`);
}

function assertEnd(time: unknown, { maxAccessDays }: Guardrails, today: string): void {
	if (maxAccessDays === undefined) return;
	const end = isRecord(time) ? time.end : undefined;
	// A number is seconds to one service, and milliseconds to another.
	const day = typeof end === 'string' && end.includes('-') ? parseServiceDate(end) : undefined;
	const latest = addDays(today, maxAccessDays);
	if (day !== undefined && day <= latest) return;
	const what = isSet(end) ? `access until ${day ?? JSON.stringify(end)}` : 'access without an end';
	const allowed = `access until ${latest} at the latest (${maxAccessDays} days from today)`;
	throw createError('maxAccessDays', what, allowed);
}

/** Null clears the rule, and the text "false" is true to many languages. */
function assertNoDownload(entered: unknown[], { forbidDownload }: Guardrails): void {
	const isOff =
		entered.includes(false) && entered.every((value) => value === undefined || value === false);
	if (!forbidDownload || isOff) return;
	const allowed = 'no download ("downloadable": false)';
	throw createError('forbidDownload', 'files that can be downloaded', allowed);
}

function createError(rule: keyof typeof LABELS, what: string, allowed: string): UserError {
	return new UserError(`The credential doesn't allow ${what}`, {
		description: `Nothing was sent. "${LABELS[rule]}" in the credential allows ${allowed}. ${WHO_CAN_CHANGE_IT}`,
	});
}

/** What the service does with another field nobody knows: it could add recipients. */
function assertDocumented(sent: IDataObject, kind: keyof typeof DOCUMENTED, place: string): void {
	const other = listPaths(sent).find((path) => !DOCUMENTED[kind].test(path));
	if (other === undefined) return;
	const field = other.replace(/(\.|\[\])$/, '').slice(0, 100);
	throw new UserError(`The ${place} doesn't allow "${field}", because it is not documented`, {
		description: `Nothing was sent. A limit such as "${LABELS.allowedRecipients}" in the ${place} allows only documented rules in JSON: ${RULE_KEYS.join(', ')}. Remove "${field}". Whoever can edit the ${place} can change it.`,
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
