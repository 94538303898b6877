import type { IDataObject } from 'n8n-workflow';

import {
	isSameRule,
	parseRules,
	type DrmRules,
	type RuleKey,
	type ShownRules,
} from '../../../shared/api/shownRules';
import { covers } from '../../../shared/parameters/addresses';
import type { Calendar } from '../../../shared/parameters/calendar';
import { isRecord } from '../../../shared/responses/shapes';
import type { Item } from '../../execution/item';
import { assertAllowed, getGuardrails } from '../../parameters/guardrails';
import { changeRecipients, extendEnd, getEnd, toWindow } from './ruleChanges';
import type { RulesChange, RulesPatch } from './ruleChanges';

export interface EnteredUpdate {
	/** Null removes a rule, or a part of `time`, `geo` or `ip`; their other parts stay. */
	rules: IDataObject;
	add: string[];
	remove: string[];
	extendByDays?: number;
	evenIfOver: boolean;
}

export interface Update {
	item: Item;
	entered: EnteredUpdate;
	calendar: Calendar;
}

/** What an update sends, by the rules that the service shows. @throws UserError where a guardrail forbids it */
export function decideUpdate(
	{ item, entered, calendar }: Update,
	{ rules: current, record }: ShownRules,
	title: string,
): RulesChange | undefined {
	const { add, remove, extendByDays: days, evenIfOver } = entered;
	const { today } = calendar;
	const rules = { ...entered.rules };
	const end = extendEnd(current, { days, evenIfOver, today, title });
	if (end !== undefined) rules.time = { ...(rules.time as IDataObject | undefined), end };
	const wanted: RulesPatch & IDataObject = {};
	for (const key of Object.keys(rules)) {
		wanted[key] = mergeParts(current[key as RuleKey], rules[key]);
	}
	if (add.length + remove.length > 0) {
		const recipients = wanted.recipients ?? current.recipients ?? [];
		wanted.recipients = changeRecipients(recipients, { add, remove }, title);
	}
	const before: IDataObject = { ...record, ...current };
	const changed = Object.entries(wanted).filter(([key, value]) => !isSameRule(value, before[key]));
	if (changed.length === 0) return undefined;
	const patch = Object.fromEntries(changed) as IDataObject;
	if (givesMoreAccess(patch, current)) {
		assertAllowed('rules', { ...current, ...patch }, getGuardrails(item.client), today);
	}
	const isStartEntered = isRecord(rules.time) && 'start' in rules.time;
	if (isRecord(patch.time) && !isStartEntered) patch.time = toWindow(patch.time, today);
	return { patch, isReplacement: 'recipients' in rules, extendedTo: end };
}

/** Whether somebody gets access who had none, or for longer. An end that can't be understood can be any. */
function givesMoreAccess(patch: IDataObject, current: DrmRules): boolean {
	const { rules } = parseRules(patch);
	if ('time' in patch && getEnd(rules) > getEnd(current)) return true;
	const couldOpen = covers(current.recipients ?? []);
	return (rules.recipients ?? []).some((entry) => !couldOpen(entry));
}

/** A rule with the parts that are entered, without those that are null; null where none is left. */
function mergeParts(rule: unknown, entered: IDataObject[string]): IDataObject[string] {
	if (!isRecord(entered)) return entered;
	const parts = Object.entries({ ...(rule as IDataObject | undefined), ...entered });
	const left = parts.filter(([, part]) => part !== null);
	return left.length > 0 ? Object.fromEntries(left) : null;
}
