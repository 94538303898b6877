import { UserError, type IDataObject } from 'n8n-workflow';

import type { ShownRules } from '../../../shared/api/shownRules';
import { endpoints } from '../../../shared/client/endpoints';
import { numberOption, queryOption, simpleField } from '../../../shared/descriptions/options';
import { addDays, MAX_DAYS } from '../../../shared/parameters/dates';
import {
	allowedRecipientsField,
	choiceField,
	createDryRunFields,
} from '../../descriptions/commonFields';
import { RULE_LABELS } from '../../descriptions/ruleFields';
import { parseDryRun, percentOption, refuseTooMany } from '../../execution/brakes';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import {
	getGuardrails,
	GUARDRAIL_LABELS,
	isEmptyPolicy,
	parseGuardrails,
} from '../../parameters/guardrails';
import type { Guardrails } from '../../parameters/guardrails';
import { listNotCovered } from '../../parameters/recipients';
import type { RulesTask } from './readModifyWrite';
import { parseSelection, selectionFields } from './containerSelection';
import { planContainers, type Decisions } from './manyContainers';
import { endAccess, getEnd, hasEnded, NEVER, toWindow } from './ruleChanges';
import type { RulesChange, RulesPatch } from './ruleChanges';

const { requireEnd: REQUIRE_END } = GUARDRAIL_LABELS;

const policyField = choiceField(
	['Policy', 'policy', 'fields'],
	{ credential: ['Guardrails of the Credential'], fields: ['Using Fields Below'] },
	'What the rules of the containers are compared with',
);

const onViolationField = choiceField(
	['On Violation', 'onViolation', 'report'],
	{
		fix: ['Fix', 'Change the rules that break it; end access where nobody would be left'],
		report: ['Report', 'Change nothing'],
		revoke: ['Revoke Access', 'End access to the container'],
	},
	'What to do with a container that breaks the policy',
);

const maxEndedOption = percentOption(
	['Max Ended (%)', 'maxEnded'],
	'The node fails, and changes nothing, if access to more than this percentage of the containers that people can open would end. Two are always allowed.',
);

/** Compares containers with a policy, and mends them (docs/openapi.yaml, getDrmRules, updateDrmRules). */
export const checkRules = defineOperation({
	name: 'Check Rules',
	value: 'check',
	action: 'Check the access rules of containers',
	description: 'Compare containers with a policy (audit, GDPR), and fix those that break it',
	routing: { request: endpoints.updateDrmRules },
	alsoSends: [endpoints.listContainers, endpoints.getDrmRules],
	fields: [
		...selectionFields,
		policyField,
		{
			displayName: 'Policy Fields',
			name: 'policyFields',
			type: 'collection',
			placeholder: 'Add Rule',
			default: { requireEnd: true },
			displayOptions: { show: { policy: ['fields'] } },
			options: [
				{
					...allowedRecipientsField,
					description: 'Addresses and wildcards that can be recipients',
				},
				simpleField(
					[GUARDRAIL_LABELS.forbidDownload, 'forbidDownload', true],
					'Whether a container with downloads on breaks the policy',
				),
				numberOption(
					[GUARDRAIL_LABELS.maxAccessDays, 'maxAccessDays', 90],
					[0, MAX_DAYS],
					'In how many days from today access has to end',
				),
				simpleField([REQUIRE_END, 'requireEnd', true], 'Whether access has to end at all'),
			],
		},
		onViolationField,
		...createDryRunFields(
			'If off, Fix and Revoke Access change the containers at once',
			'A model could change many records at once here. As a tool, this operation runs only with "Dry Run" on, or with "On Violation" set to Report, and changes nothing.',
		),
	],
	options: [maxEndedOption, queryOption],
	async parse(item) {
		const onViolation = item.read(onViolationField);
		const policy =
			item.read(policyField) === 'fields'
				? parseGuardrails(item.getParameter('policyFields', {}) as IDataObject, 'Policy Fields')
				: getGuardrails(item.client);
		if (isEmptyPolicy(policy)) {
			throw new UserError('The policy has no rule', {
				description:
					'Set guardrails in the credential; or set "Policy" to Using Fields Below, and add at least one rule to "Policy Fields".',
			});
		}
		const { maxAccessDays } = policy;
		const calendar = maxAccessDays === undefined ? undefined : await item.getCalendar();
		const task: RulesTask = {
			needs: ['time', 'recipients', 'downloadable'],
			decide: (shown) =>
				decideCheck(shown, onViolation, comparePolicy(shown, policy, calendar?.today)),
			isDryRun: parseDryRun(item, { canChange: onViolation !== 'report' }),
		};
		// A filter by `compliant` must not lose it.
		const failedFields = { compliant: false, violations: [] };
		const maxEnded = item.read(maxEndedOption);
		const assertDecisions = (decisions: Decisions) => assertFewEnded(item, decisions, maxEnded);
		return {
			selection: parseSelection(item, { isWholeName: false }),
			task,
			failedFields,
			assertDecisions: onViolation === 'report' ? undefined : assertDecisions,
		};
	},
	plan: planContainers,
});

/** A typing error in a policy can end access to all containers. @throws UserError where it would be too many */
function assertFewEnded(item: Item, decisions: Decisions, maxPercent: number): void {
	// Most containers of a user can be over: among them, all others would be few.
	const all = [...decisions.values()].filter((change) => change?.isOver !== true);
	const removed = all.filter((change) => change?.output?.action === 'revoked');
	const message = `Access to ${removed.length} of ${all.length} containers would end, more than ${maxPercent}%`;
	const description = `Nothing was changed. Check the policy: a typing error in it can end access to all containers. To see all changes, turn on "Dry Run". To make them, raise "${maxEndedOption.displayName}" in the options.`;
	refuseTooMany(item, { removed, all, maxPercent, message, description });
}

function decideCheck(
	shown: ShownRules,
	onViolation: string,
	{ violations, fix }: ReturnType<typeof comparePolicy>,
): RulesChange {
	const compliant = violations.length === 0;
	const report = (action: string, reason: string, patch?: RulesPatch): RulesChange => {
		return { patch, output: { compliant, violations, action, reason } };
	};
	if (hasEnded(shown)) {
		const over = report('none', 'Changed nothing: access is over.');
		return { ...over, isOver: true };
	}
	if (compliant) return report('none', 'Changed nothing: it keeps to the policy.');
	if (onViolation === 'report') return report('none', 'Changed nothing.');
	if (shown.rules.dynamic === false) {
		const why = `it was encrypted without "${RULE_LABELS.dynamic}". To end access, delete it.`;
		return report('none', `Changed nothing: ${why}`);
	}
	const isNobodyLeft = fix.recipients?.length === 0 || (fix.time?.start ?? '') > getEnd(fix);
	if (onViolation === 'revoke' || isNobodyLeft) {
		return report('revoked', 'Ended access.', endAccess(shown));
	}
	const isEndless = violations.some(({ rule }) => rule === REQUIRE_END);
	const left = isEndless ? ' It has no end: only a longest access says when it has to end.' : '';
	const names = Object.keys(fix).join(', ');
	if (names === '') return report('none', `Changed nothing.${left}`);
	return report('fixed', `Changed ${names}.${left}`, fix);
}

/** What breaks a policy, and the rules that mend it. What is over breaks none. */
function comparePolicy(shown: ShownRules, policy: Guardrails, today = '') {
	const { allowedRecipients: allowed, maxAccessDays, forbidDownload, requireEnd } = policy;
	const { recipients = [], time, downloadable: download = null } = shown.rules;
	const { end = null } = time ?? {};
	const violations: IDataObject[] = [];
	const fix: RulesPatch = {};
	if (hasEnded(shown)) return { violations, fix };
	const others = listNotCovered(recipients, allowed);
	if (others.length > 0) {
		violations.push({ rule: GUARDRAIL_LABELS.allowedRecipients, actual: others, allowed });
		fix.recipients = recipients.filter((entry) => !others.includes(entry));
	}
	if (maxAccessDays !== undefined) {
		const latest = addDays(today, maxAccessDays);
		if (getEnd(shown.rules) > addDays(latest, shown.tolerance)) {
			violations.push({ rule: GUARDRAIL_LABELS.maxAccessDays, actual: end, allowed: latest });
			fix.time = toWindow({ ...time, end: latest }, today);
		}
	} else if (requireEnd && getEnd(shown.rules) === NEVER) {
		violations.push({ rule: REQUIRE_END, actual: end, allowed: 'an end' });
	}
	if (forbidDownload && download !== false) {
		violations.push({ rule: GUARDRAIL_LABELS.forbidDownload, actual: download, allowed: false });
		fix.downloadable = false;
	}
	return { violations, fix };
}
