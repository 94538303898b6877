import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { parseRule } from '../../../shared/api/ruleValues';
import {
	addDays,
	getDateInDays,
	getLastDayOverEverywhere,
	isNoDate,
	MAX_DAYS,
	parseServiceDate,
} from '../../../shared/parameters/dates';
import {
	parseBoolean,
	parseChoice,
	parseInteger,
	parseOption,
} from '../../../shared/parameters/scalars';
import type { Item } from '../../execution/item';
import type { Operation } from '../../execution/operation';
import { listNotCovered, parseAllowedRecipients } from '../../parameters/allowedRecipients';
import type { Guardrails } from '../../parameters/guardrails';
import { parseGuardrails } from '../../parameters/guardrails';
import { ON_VIOLATION, POLICIES } from './choices';
import type { Decision } from './containerJobs';
import { createContainerJobs } from './containerJobs';
import { hasEnded } from './ruleChanges';
import type { Selection } from './selectContainers';
import { fetchSelected, parseSelection } from './selectContainers';

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
	parse(item) {
		return {
			selection: parseSelection(item),
			policy: parsePolicy(item),
			onViolation: parseChoice(item.getParameter('onViolation'), 'On Violation', ON_VIOLATION),
			dryRun: parseOption(item.getOptions(), 'dryRun', false, (value) =>
				parseBoolean(value, 'Dry Run'),
			),
			today: getDateInDays(0, item.timeZone),
		};
	},
	async *plan(parsed, run) {
		for (const { item, input, error } of parsed) {
			if (input === undefined) {
				yield [run.createJob({ item, error }, async () => await Promise.resolve([]))];
				continue;
			}
			const call = await run.connect(item);
			const { policy = getCredentialPolicy(call.session.connection.credential.data), dryRun } =
				input;
			const containers = await fetchSelected(call, input.selection);
			if (dryRun) run.addHint('This was a dry run. No rules were changed.');
			const decide = (rules: DrmRules) => decideCheck(rules, policy, input);
			const needs = ['recipients', 'time', 'downloadable'];
			yield createContainerJobs(run, call, containers, { needs, decide, dryRun });
		}
	},
};

/** Compares rules with the policy, and decides what to do. */
function decideCheck(
	rules: DrmRules,
	policy: Policy,
	{ onViolation, today }: Pick<Check, 'onViolation' | 'today'>,
): Decision {
	const describe = (violations: Violation[], action: string, reason: string): IDataObject => ({
		compliant: violations.length === 0,
		violations,
		action,
		reason,
	});
	if (hasEnded(rules, getLastDayOverEverywhere(new Date()))) {
		return { output: describe([], 'none', 'Access is over.') };
	}
	const violations = listViolations(rules, policy, today);
	if (violations.length === 0) return { output: describe([], 'none', 'It keeps to the policy.') };
	if (onViolation === 'report') {
		return { output: describe(violations, 'none', 'Nothing was changed.') };
	}
	if (parseRule('dynamic', rules.dynamic) === false) {
		const reason = 'Its rules can\'t change: it was encrypted without "Allow Changes Later".';
		return { output: describe(violations, 'none', `${reason} To end access, delete it.`) };
	}
	const change = onViolation === 'revoke' ? 'end' : fix(rules, policy, violations, today);
	if (change === undefined) {
		const reason = 'Nothing was changed: only a longest access says when it has to end.';
		return { output: describe(violations, 'none', reason) };
	}
	if (change === 'end') {
		return { output: describe(violations, 'revoked', 'Access ended.'), change };
	}
	const changed = Object.keys(change).join(', ');
	return { output: describe(violations, 'fixed', `Changed: ${changed}.`), change };
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

/** The rules that mend all violations; undefined where nobody knows how. */
function fix(
	rules: DrmRules,
	{ allowedRecipients, maxAccessDays }: Policy,
	violations: Violation[],
	today: string,
): DrmRules | 'end' | undefined {
	const broken = new Set(violations.map(({ rule }) => rule));
	const change: DrmRules = {};
	if (broken.has('allowedRecipients')) {
		const { recipients = [] } = rules;
		const others = listNotCovered(recipients, allowedRecipients);
		change.recipients = recipients.filter((entry) => !others.includes(entry));
		if (change.recipients.length === 0) return 'end';
	}
	if (broken.has('maxAccessDays') || broken.has('requireEnd')) {
		if (maxAccessDays === undefined) return undefined;
		const latest = addDays(today, maxAccessDays);
		if ((parseServiceDate(rules.time?.start) ?? '') > latest) return 'end';
		change.time = { ...rules.time, end: latest };
	}
	if (broken.has('forbidDownload')) change.downloadable = false;
	return change;
}

function parsePolicy(item: Item): Policy | undefined {
	const choice = parseChoice(item.getParameter('policy'), 'Policy', POLICIES);
	if (choice === 'credential') return undefined;
	const fields = item.getParameter('policyFields', {}) as IDataObject;
	const parse = <T>(name: string, fallback: T, parser: (value: unknown) => T) =>
		parseOption<T>(fields, name, fallback, parser);
	const policy: Policy = {
		allowedRecipients: parse<string[] | undefined>('allowedRecipients', undefined, (value) =>
			parseAllowedRecipients(value),
		),
		maxAccessDays: parse<number | undefined>('maxAccessDays', undefined, (value) =>
			parseInteger(value, 'Longest Access (Days)', 0, MAX_DAYS),
		),
		forbidDownload: parse('forbidDownload', false, (value) =>
			parseBoolean(value, 'Forbid Download'),
		),
		requireEnd: parse('requireEnd', false, (value) => parseBoolean(value, 'Require End')),
	};
	assertFilled(policy, '"Policy Fields" has no rule', 'Add at least one rule to "Policy Fields".');
	return policy;
}

function getCredentialPolicy(data: Parameters<typeof parseGuardrails>[0] = {}): Policy {
	const policy = { ...parseGuardrails(data), requireEnd: false };
	assertFilled(
		policy,
		'The credential has no guardrails',
		'Set them in the credential, or set "Policy" to Fields Below.',
	);
	return policy;
}

function assertFilled(policy: Policy, message: string, description: string): void {
	const { allowedRecipients, maxAccessDays, forbidDownload, requireEnd } = policy;
	const isEmpty = allowedRecipients === undefined && maxAccessDays === undefined;
	if (isEmpty && !forbidDownload && !requireEnd) throw new UserError(message, { description });
}
