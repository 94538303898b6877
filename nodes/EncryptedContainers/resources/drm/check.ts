import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { parseRule } from '../../../shared/api/ruleValues';
import {
	addDays,
	getDateInDays,
	getLastDayOverEverywhere,
	isNoDate,
	parseServiceDate,
} from '../../../shared/parameters/dates';
import { parseBoolean, parseOption } from '../../../shared/parameters/scalars';
import type { Item } from '../../execution/item';
import type { Call, Operation } from '../../execution/operation';
import { listNotCovered } from '../../parameters/allowedRecipients';
import type { Guardrails } from '../../parameters/guardrails';
import { getGuardrails, isEmptyPolicy, parseGuardrails } from '../../parameters/guardrails';
import { onViolationField, parseChoiceField, policyField } from './choices';
import type { Decision } from './containerJobs';
import { planContainers } from './containerJobs';
import { findFixed, hasEnded } from './ruleChanges';
import type { Selection } from './selectContainers';
import { parseDryRun, parseSelection } from './selectContainers';

/** What containers have to keep to. */
interface Policy extends Guardrails {
	requireEnd: boolean;
}

interface Check {
	selection: Selection;
	/** Undefined for the guardrails of the credential. */
	policy?: Policy;
	onViolation: 'fix' | 'report' | 'revoke';
	dryRun: boolean;
	/** `YYYY-MM-DD` */
	today: string;
}

interface Violation extends IDataObject {
	rule: string;
	actual: IDataObject[string];
	allowed: IDataObject[string];
}

/** Compares containers with a policy, and mends them (docs/openapi.yaml, getDrmRules, updateDrmRules). */
export const check: Operation<Check> = {
	parse: (item) => ({
		selection: parseSelection(item),
		policy: parsePolicy(item),
		onViolation: parseChoiceField(item, onViolationField),
		dryRun: parseDryRun(item),
		today: getDateInDays(0, item.timeZone),
	}),
	check(call, input) {
		if (!isEmptyPolicy(getPolicy(call, input))) return;
		const [message, description] =
			input.policy === undefined
				? [
						'The credential has no guardrails',
						'Set them in the credential, or set "Policy" to Fields Below.',
					]
				: ['"Policy Fields" has no rule', 'Add at least one rule to "Policy Fields".'];
		throw new UserError(message, { description });
	},
	plan: (parsed, run) =>
		planContainers(parsed, run, (input, call) => {
			const policy = getPolicy(call, input);
			const { allowedRecipients, forbidDownload } = policy;
			const found = new Map<string, IDataObject>();
			return {
				needs: [
					'time',
					...(allowedRecipients === undefined ? [] : ['recipients']),
					...(forbidDownload ? ['downloadable'] : []),
				],
				decide(rules, { id }) {
					const decision = decideCheck(rules, policy, input);
					found.set(id, decision.output);
					return decision;
				},
				// A filter by `compliant` must not lose it.
				getFailedFields: ({ id }) => ({ violations: [], ...found.get(id), compliant: false }),
				dryRun: input.dryRun,
			};
		}),
};

function getPolicy({ session }: Call, { policy }: Check): Policy {
	return policy ?? { ...getGuardrails(session), requireEnd: false };
}

/** Compares rules with the policy, and decides what to do. */
function decideCheck(
	rules: DrmRules,
	policy: Policy,
	{ onViolation, today }: Pick<Check, 'onViolation' | 'today'>,
): Decision {
	const isOver = hasEnded(rules, getLastDayOverEverywhere(new Date()));
	const violations = isOver ? [] : listViolations(rules, policy, today);
	const compliant = violations.length === 0;
	const report = (reason: string, action = 'none') => ({ compliant, violations, action, reason });
	if (isOver) return { output: report('Access is over.') };
	if (compliant) return { output: report('It keeps to the policy.') };
	if (onViolation === 'report') return { output: report('Nothing was changed.') };
	const fixed = findFixed(rules, 'the container');
	if (fixed !== undefined) {
		return { output: report(`${fixed.message}. To end access, delete it.`) };
	}
	const change = onViolation === 'revoke' ? 'end' : fix(rules, policy, violations);
	if (change === 'end') return { output: report('Access ended.', 'revoked'), change };
	const names = Object.keys(change).join(', ');
	const isLeft = violations.some(({ rule }) => rule === 'requireEnd') && !('time' in change);
	const left = isLeft ? ' No end was set: only a longest access says when it has to end.' : '';
	return names === ''
		? { output: report(`Nothing was changed.${left}`) }
		: { output: report(`Changed: ${names}.${left}`, 'fixed'), change };
}

function listViolations(rules: DrmRules, policy: Policy, today: string): Violation[] {
	const { allowedRecipients, maxAccessDays, forbidDownload, requireEnd } = policy;
	const { recipients = [] } = rules;
	const violations: Violation[] = [];
	const others = listNotCovered(recipients, allowedRecipients);
	if (others.length > 0 || (allowedRecipients !== undefined && recipients.length === 0)) {
		violations.push({ rule: 'allowedRecipients', actual: others, allowed: allowedRecipients });
	}
	const end = isNoDate(rules.time?.end) ? null : String(rules.time?.end);
	const day = parseServiceDate(rules.time?.end);
	const latest = maxAccessDays === undefined ? undefined : addDays(today, maxAccessDays);
	if (latest !== undefined && (day === undefined || day > latest)) {
		violations.push({ rule: 'maxAccessDays', actual: day ?? end, allowed: latest });
	}
	if (requireEnd && day === undefined) {
		violations.push({ rule: 'requireEnd', actual: end, allowed: 'an end' });
	}
	if (forbidDownload && parseRule('downloadable', rules.downloadable) !== false) {
		const actual = rules.downloadable ?? null;
		violations.push({ rule: 'forbidDownload', actual, allowed: false });
	}
	return violations;
}

/** The rules that mend the violations, as far as the policy says how. */
function fix(
	{ recipients = [], time }: DrmRules,
	{ allowedRecipients }: Policy,
	violations: Violation[],
): DrmRules | 'end' {
	const change: DrmRules = {};
	for (const { rule, allowed } of violations) {
		if (rule === 'allowedRecipients') {
			const others = listNotCovered(recipients, allowedRecipients);
			change.recipients = recipients.filter((entry) => !others.includes(entry));
			if (change.recipients.length === 0) return 'end';
		}
		if (rule === 'maxAccessDays') {
			const end = String(allowed);
			if ((parseServiceDate(time?.start) ?? '') > end) return 'end';
			change.time = { ...time, end };
		}
		if (rule === 'forbidDownload') change.downloadable = false;
	}
	return change;
}

function parsePolicy(item: Item): Policy | undefined {
	if (parseChoiceField(item, policyField) === 'credential') return undefined;
	const fields = item.getParameter('policyFields', {}) as IDataObject;
	const requireEnd = parseOption(fields, 'requireEnd', false, (value) =>
		parseBoolean(value, 'Require End'),
	);
	return { ...parseGuardrails(fields, 'Policy Fields'), requireEnd };
}
