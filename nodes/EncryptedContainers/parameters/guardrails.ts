import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../shared/api/drmRules';
import { isSet, parseRule } from '../../shared/api/ruleValues';
import { addDays, MAX_DAYS, parseServiceDate } from '../../shared/parameters/dates';
import { parseBoolean, parseInteger } from '../../shared/parameters/scalars';
import { isRecord } from '../../shared/responses/shapes';
import { listNames, listNotCovered, parseAllowedRecipients } from './allowedRecipients';

const LABELS = {
	allowedRecipients: 'Allowed Recipients',
	maxAccessDays: 'Longest Access (Days)',
	forbidDownload: 'Forbid Download',
} as const;

/** What whoever owns the API key allows to give away with it. */
export interface Guardrails {
	/** Addresses and wildcards; undefined for everybody. */
	allowedRecipients?: string[];
	/** Undefined for no limit. */
	maxAccessDays?: number;
	forbidDownload: boolean;
}

/** @throws UserError naming the field of the credential that can't be used: a rule must not be dropped silently */
export function parseGuardrails({
	allowedRecipients,
	maxAccessDays,
	forbidDownload,
}: ICredentialDataDecryptedObject): Guardrails {
	const label = (name: keyof typeof LABELS) => `${LABELS[name]} (credential)`;
	return {
		allowedRecipients: isBlank(allowedRecipients)
			? undefined
			: parseAllowedRecipients(allowedRecipients, label('allowedRecipients')),
		maxAccessDays: isBlank(maxAccessDays)
			? undefined
			: parseInteger(maxAccessDays, label('maxAccessDays'), 0, MAX_DAYS),
		forbidDownload: isBlank(forbidDownload)
			? false
			: parseBoolean(forbidDownload, label('forbidDownload')),
	};
}

/** Checks the rules of a new container. @throws UserError that says which guardrail they break */
export function assertNewRulesAllowed(
	rules: DrmRules,
	guardrails: Guardrails,
	today: string,
): void {
	const { allowedRecipients, maxAccessDays, forbidDownload } = guardrails;
	const recipients = toList(rules.recipients);
	if (allowedRecipients !== undefined && recipients.length === 0) {
		throw createError('allowedRecipients', 'a container without recipients', guardrails, today);
	}
	if (maxAccessDays !== undefined && !isSet(toEnd(rules.time))) {
		throw createError('maxAccessDays', 'access without an end', guardrails, today);
	}
	if (forbidDownload && parseRule('downloadable', rules.downloadable) !== false) {
		throw createError('forbidDownload', 'files that can be downloaded', guardrails, today);
	}
	assertRulesAllowed(rules, guardrails, today);
}

/** Checks rules to be changed: those that stay as they are can break a guardrail. @throws as assertNewRulesAllowed */
export function assertRulesAllowed(rules: DrmRules, guardrails: Guardrails, today: string): void {
	const { allowedRecipients, maxAccessDays, forbidDownload } = guardrails;
	const others = listNotCovered(toList(rules.recipients), allowedRecipients);
	if (others.length > 0) {
		throw createError('allowedRecipients', listNames(others), guardrails, today);
	}
	if (maxAccessDays !== undefined && isEndChanged(rules)) {
		const end = toEnd(rules.time);
		const day = parseServiceDate(end);
		if (!isSet(end)) throw createError('maxAccessDays', 'access without an end', guardrails, today);
		if (day === undefined || day > addDays(today, maxAccessDays)) {
			throw createError('maxAccessDays', `access until ${day ?? String(end)}`, guardrails, today);
		}
	}
	if (forbidDownload && isSet(rules.downloadable)) {
		const isForbidden = parseRule('downloadable', rules.downloadable) !== false;
		if (isForbidden) {
			throw createError('forbidDownload', 'files that can be downloaded', guardrails, today);
		}
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
function isEndChanged(rules: DrmRules): boolean {
	if (!Object.hasOwn(rules, 'time')) return false;
	const time: unknown = rules.time;
	return !isRecord(time) || Object.keys(time).length === 0 || Object.hasOwn(time, 'end');
}

function toEnd(time: unknown): unknown {
	return isRecord(time) ? time.end : undefined;
}

function toList(recipients: unknown): string[] {
	const list = isSet(recipients) ? parseRule('recipients', recipients) : [];
	return Array.isArray(list) ? list.map(String) : [String(recipients)];
}

function isBlank(value: unknown): boolean {
	return !isSet(value) || (typeof value === 'string' && value.trim() === '');
}

/** The rules of a manifest: recipients and the like can stand beside the others. */
export function getManifestRules(container: IDataObject): DrmRules {
	const drm = isRecord(container.drm) ? container.drm : {};
	const recipients = [container.recipients, drm.recipients].flatMap(toList);
	// Either can count: the one that gives more away.
	const switches = [container.downloadable, drm.downloadable].filter(isSet);
	const downloadable = switches.find((value) => parseRule('downloadable', value) !== false);
	return { ...drm, recipients, downloadable: downloadable ?? switches[0] } as DrmRules;
}
