import { UserError, type IDataObject } from 'n8n-workflow';

import { isSet, RULE_KEYS } from '../../shared/api/shownRules';
import type { Client } from '../../shared/client/client';
import type { DayCounter } from '../../shared/parameters/calendar';
import { addDays, MAX_DAYS, parseServiceDate } from '../../shared/parameters/dates';
import type { Parameters } from '../../shared/parameters/fields';
import { parseBoolean, parseInteger, shorten } from '../../shared/parameters/values';
import { isFilled, isObject, isRecord } from '../../shared/responses/shapes';
import { allowedRecipientsField } from '../descriptions/commonFields';
import { assertCovered, assertRecipientsAllowed, parseAllowedRecipients } from './recipients';
import type { LabeledField } from './recipients';

// Each assertion throws a UserError that says which guardrail is broken.

export const GUARDRAIL_LABELS = {
	allowedRecipients: 'Allowed Recipients',
	maxAccessDays: 'Longest Access (Days)',
	forbidDownload: 'Forbid Download',
	requireEnd: 'Require End',
} as const;

/** The fields of a manifest and of its container (docs/openapi.yaml, Manifest). */
const MANIFEST_KEYS = ['container', 'files'];
const CONTAINER_KEYS = ['name', 'password', 'downloadable', 'recipients', 'drm'];

/** Rules of a change, of which those that are left out stay; all rules as they will be; or a new container. */
type JsonKind = 'change' | 'rules' | 'manifest';

/** What whoever owns the API key allows to give away with it, or what a policy demands. */
export interface Guardrails {
	/** Addresses and wildcards; undefined for everybody. */
	allowedRecipients?: string[];
	maxAccessDays?: number;
	forbidDownload?: boolean;
	/** Only of a policy. */
	requireEnd?: boolean;
}

export function getGuardrails(client: Client): Guardrails {
	return parseGuardrails(getFilledFields(client), 'credential');
}

/** Not only what is set: an expression that finds nothing must not lift a guardrail. */
function getFilledFields({ connection }: Client): IDataObject {
	const fields = Object.entries(connection.credential.data ?? {});
	const filled = fields.filter(([, value]) => String(value).trim() !== '');
	return Object.fromEntries(filled) as IDataObject;
}

/** @throws UserError where whoever owns the API key keeps files in the service */
export function assertDecodeAllowed(client: Client): void {
	const label = 'Forbid Decode';
	const fields = { forbidDecode: false, ...getFilledFields(client) };
	if (!parseBoolean(fields.forbidDecode, `${label} (credential)`)) return;
	throw new UserError("The credential doesn't allow to download files", {
		description: `Nothing was sent. "${label}" in the credential is on. Whoever can edit the credential can change it.`,
	});
}

/** @throws UserError naming the field and its place: a rule that can't be used must not be dropped silently */
export function parseGuardrails(fields: IDataObject, place: string): Guardrails {
	const parse = <T>(
		name: keyof typeof GUARDRAIL_LABELS,
		parser: (value: unknown, label: string) => T,
	) =>
		Object.hasOwn(fields, name)
			? parser(fields[name], `${GUARDRAIL_LABELS[name]} (${place})`)
			: undefined;
	return {
		allowedRecipients: parse('allowedRecipients', parseAllowedRecipients),
		maxAccessDays: parse('maxAccessDays', (days, label) => parseInteger(days, label, 0, MAX_DAYS)),
		forbidDownload: parse('forbidDownload', parseBoolean),
		requireEnd: parse('requireEnd', parseBoolean),
	};
}

export function isEmptyPolicy(policy: Guardrails): boolean {
	return Object.values(policy).every((rule) => rule === undefined || rule === false);
}

/** @param today not needed where the guardrails have no longest access */
export function assertAllowed(
	kind: JsonKind,
	sent: IDataObject,
	guardrails: Guardrails,
	today = '',
): void {
	assertAllButEndAllowed(kind, sent, guardrails);
	if (mayLastLonger(kind, sent)) assertEndAllowed(findWindow(kind, sent), guardrails, today);
}

/** Checks what an item sends, from a field, against its options and the guardrails of its credential. */
export async function assertMaySend(
	item: Parameters & DayCounter & { client: Client },
	kind: JsonKind,
	sent: IDataObject,
	field: LabeledField,
): Promise<void> {
	if (item.has(allowedRecipientsField)) assertDocumented(kind, sent, 'node');
	const recipients = listParts(kind, sent).flatMap(([part]) => listRecipients(part));
	assertRecipientsAllowed(item, recipients, field);
	const guardrails = getGuardrails(item.client);
	assertAllButEndAllowed(kind, sent, guardrails);
	if (guardrails.maxAccessDays === undefined || !mayLastLonger(kind, sent)) return;
	const { today } = await item.getCalendar();
	assertEndAllowed(findWindow(kind, sent), guardrails, today);
}

function assertAllButEndAllowed(kind: JsonKind, sent: IDataObject, guardrails: Guardrails): void {
	if (isEmptyPolicy(guardrails)) return;
	assertDocumented(kind, sent, 'credential');
	const parts = listParts(kind, sent).map(([part]) => part);
	assertCovered(parts.flatMap(listRecipients), guardrails.allowedRecipients, 'credential');
	const downloads = parts.map((part) => part.downloadable).filter((value) => value !== undefined);
	// Null clears the rule, and the text "false" is true to many languages. Where there is no rule, files can be downloaded.
	const isLeftOut = downloads.length === 0 && kind !== 'change';
	const isOff = downloads.every((value) => value === false) && !isLeftOut;
	if (isOff || !guardrails.forbidDownload) return;
	const allowed = 'no download ("downloadable": false)';
	throw createError('forbidDownload', 'files that can be downloaded', allowed);
}

/** Whether what is sent sets or clears the end of access. */
function mayLastLonger(kind: JsonKind, sent: IDataObject): boolean {
	if (kind !== 'change') return true;
	const time = findWindow(kind, sent);
	// Null and an empty object clear the whole window.
	const keepsEnd = isRecord(time) && isFilled(time) && !Object.hasOwn(time, 'end');
	return time !== undefined && !keepsEnd;
}

function findWindow(kind: JsonKind, sent: IDataObject): unknown {
	const windows = listParts(kind, sent).map(([part]) => part.time);
	return windows.find((time) => time !== undefined);
}

/** The recipients in rules as they are sent. What can't be understood is one of them. */
export function listRecipients({ recipients }: IDataObject): string[] {
	if (!isSet(recipients)) return [];
	const entries: unknown[] = Array.isArray(recipients) ? recipients.filter(isSet) : [recipients];
	return entries.map((entry) => (isObject(entry) ? 'an object' : String(entry)));
}

function assertEndAllowed(time: unknown, { maxAccessDays }: Guardrails, today: string): void {
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

function createError(
	rule: keyof typeof GUARDRAIL_LABELS,
	what: string,
	allowed: string,
): UserError {
	return new UserError(`The credential doesn't allow ${what}`, {
		description: `Nothing was sent. "${GUARDRAIL_LABELS[rule]}" in the credential allows ${allowed}. Whoever can edit the credential can change it.`,
	});
}

/** What the service does with another field nobody knows: it could add recipients. */
function assertDocumented(kind: JsonKind, sent: IDataObject, place: string): void {
	for (const [part, known] of listParts(kind, sent)) {
		const unknown = Object.keys(part).find((key) => !known.includes(key));
		if (unknown === undefined) continue;
		const message = `The ${place} doesn't allow "${shorten(unknown)}", because it is not documented`;
		throw new UserError(message, {
			description: `Nothing was sent. A limit such as "${GUARDRAIL_LABELS.allowedRecipients}" in the ${place} allows only documented fields in JSON. Remove this one. Whoever can edit the ${place} can change it.`,
		});
	}
}

/** The parts that can hold rules, each with the fields that it can have. */
function listParts(kind: JsonKind, sent: IDataObject): Array<[IDataObject, known: string[]]> {
	if (kind !== 'manifest') return [[sent, RULE_KEYS]];
	const container = sent.container as IDataObject;
	const { drm = {} } = container;
	return [
		[sent, MANIFEST_KEYS],
		[container, CONTAINER_KEYS],
		// Rules in another form are not documented either.
		[isRecord(drm) ? drm : { drm }, RULE_KEYS],
	];
}
