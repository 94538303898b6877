import type { IDataObject } from 'n8n-workflow';

import { parseRules, type DrmRules, type ShownRules } from '../../../shared/api/drmRules';
import { withContainerId } from '../../../shared/api/records';
import { isSameRule, RULE_KEYS, type RuleKey } from '../../../shared/api/ruleValues';
import { covers, toAddressKey } from '../../../shared/parameters/addresses';
import { isFilled, isRecord } from '../../../shared/responses/shapes';
import { recipientOptions } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import { getRecipientPolicy } from '../../parameters/allowedRecipients';
import type { Guardrails } from '../../parameters/guardrails';
import { assertAllowed, getGuardrails, isEmptyPolicy } from '../../parameters/guardrails';
import { findPasswords } from '../../parameters/json';
import { changeRules, type RulesTask } from './changeRules';
import { changeRecipients, extendEnd, NEVER, toWindow } from './ruleChanges';
import type { RulesChange, RulesPatch } from './ruleChanges';
import { parseChange, updateFields, type Change } from './updateFields';

export const updateRules = defineOperation({
	name: 'Update',
	value: 'update',
	action: 'Update the access rules of a container',
	description:
		'Change some access rules (DRM) of a container, if it was encoded with "Allow Changes Later" on',
	endpoint: { method: 'PATCH', path: '/containers/{containerId}/drm' },
	fields: updateFields,
	options: recipientOptions,
	parse(item) {
		const { containerId } = item.getPathParams();
		const change = parseChange(item, getRecipientPolicy(item.getOptions()));
		item.sensitiveValues.push(...findPasswords(change.rules));
		const guardrails = getGuardrails(item.client);
		assertAllowed('rules', change.rules, guardrails, change.today);
		assertAllowed('rules', { recipients: change.recipients.add }, guardrails);
		return { containerId, task: planUpdate(change, guardrails) };
	},
	async send(item, { containerId: id, task }) {
		const { changed, shown } = await changeRules(item, { id }, task);
		return [withContainerId(id, { ...shown.record, changed })];
	},
});

/** What an update needs to know of the current rules, and what it sends, which must keep to the guardrails. */
export function planUpdate(change: Change, guardrails: Guardrails): RulesTask {
	const { rules, recipients, extendByDays } = change;
	const needs = listParts(rules);
	if (extendByDays !== undefined) needs.push('time');
	if (recipients.add.length + recipients.remove.length > 0) needs.push('recipients');
	// Whoever gets access for longer must be allowed.
	const isGuarded = needs.includes('time') && !isEmptyPolicy(guardrails);
	if (isGuarded) needs.push('recipients', 'downloadable');
	return { needs, decide: (shown, title) => decideUpdate(change, guardrails, shown, title) };
}

function decideUpdate(
	{ rules, recipients: { add, remove }, extendByDays, today }: Change,
	guardrails: Guardrails,
	{ rules: current, record }: ShownRules,
	title: string,
): RulesChange | undefined {
	const end = extendByDays && extendEnd(current, extendByDays, today);
	const entered = end ? { ...rules, time: toPart(rules.time, { end }) } : rules;
	const after = mergeRules(current, entered);
	if (add.length + remove.length > 0) {
		after.recipients = changeRecipients(after.recipients ?? [], { add, remove }, title);
	}
	if (isLater(after, current)) {
		const { time, recipients, downloadable } = after;
		assertAllowed('rules', { time, recipients, downloadable } as IDataObject, guardrails, today);
	}
	const [before, wanted] = [{ ...record, ...current }, after] as IDataObject[];
	const changed = Object.keys(wanted).filter((key) => !isSameRule(wanted[key], before[key]));
	if (changed.length === 0) return undefined;
	const patch: IDataObject = Object.fromEntries(changed.map((key) => [key, wanted[key]]));
	const isStartEntered = isRecord(entered.time) && 'start' in entered.time;
	if (isRecord(patch.time) && !isStartEntered) patch.time = toWindow(patch.time, today);
	const left = new Set((after.recipients ?? []).map(toAddressKey));
	const isRemoved = covers(remove);
	const removed = (current.recipients ?? []).filter(
		(entry) => isRemoved(entry) && !left.has(toAddressKey(entry)),
	);
	return { patch: patch as RulesPatch, removed, isExtension: Boolean(end) };
}

/** All rules after a change, null for one that is removed. */
function mergeRules(current: DrmRules, entered: IDataObject): RulesPatch {
	const merged = listParts(entered).map((key) => {
		const parts = Object.entries(toPart(current[key], entered[key] as IDataObject));
		const left = Object.fromEntries(parts.filter(([, part]) => part !== null));
		return [key, isFilled(left) ? left : null] as const;
	});
	return { ...current, ...entered, ...Object.fromEntries(merged) };
}

/** The rules that are entered in part: the current ones must be understood. */
function listParts(rules: IDataObject): RuleKey[] {
	return RULE_KEYS.filter((key) => isRecord(rules[key]) && isFilled(rules[key]));
}

function toPart(rule: unknown, parts: IDataObject): IDataObject {
	return { ...(isRecord(rule) ? rule : {}), ...parts };
}

/** An end that can't be understood can be any. */
function isLater(after: RulesPatch, current: DrmRules): boolean {
	if (isSameRule(after.time, current.time)) return false;
	const { time } = parseRules({ time: after.time }).rules;
	return (time?.end ?? NEVER) > (current.time?.end ?? NEVER);
}
