import { UserError, type IDataObject } from 'n8n-workflow';

import type { DrmRules, ShownRules } from '../../../shared/api/drmRules';
import { numberOption } from '../../../shared/descriptions/options';
import { addDays, getDateInDays, MAX_DAYS } from '../../../shared/parameters/dates';
import {
	choiceField,
	createDryRunFields,
	queryOption,
	recipientOptions,
	simpleField,
} from '../../descriptions/commonFields';
import { parseDryRun } from '../../execution/allItems';
import { defineOperation } from '../../execution/defineOperation';
import { getGuardrails, isEmptyPolicy, parseGuardrails } from '../../parameters/guardrails';
import type { Guardrails } from '../../parameters/guardrails';
import { listNotCovered } from '../../parameters/recipients';
import type { RulesTask } from './changeRules';
import { parseSelection, planContainers, selectionFields } from './manyContainers';
import { endAccess, findFixed, hasEnded, NEVER, toWindow } from './ruleChanges';
import type { RulesChange, RulesPatch } from './ruleChanges';

const [allowedRecipientsField] = recipientOptions;

const policyField = choiceField(
	['Policy', 'policy', 'fields'],
	{ credential: ['Guardrails of the Credential'], fields: ['Fields Below'] },
	'What the rules of the containers are compared with',
);

const onViolationField = choiceField(
	['On Violation', 'onViolation', 'report'],
	{
		fix: [
			'Fix',
			'Shorten the end, remove recipients who are not allowed, and turn off download. If nobody would be left, access ends.',
		],
		report: ['Report', 'Change nothing'],
		revoke: ['Revoke Access', 'End access to the container'],
	},
	'What to do with a container that breaks the policy',
);

interface Violation {
	rule: string;
	actual: unknown;
	allowed: unknown;
	fix?: RulesPatch | 'end';
}

/** Compares containers with a policy, and mends them (docs/openapi.yaml, getDrmRules, updateDrmRules). */
export const checkRules = defineOperation({
	name: 'Check Rules',
	value: 'check',
	action: 'Check the access rules of containers',
	description:
		'Compare containers with a policy (audit, GDPR), and fix those that break it if you want',
	endpoint: { method: 'GET', path: '/users/{userId}/containers' },
	fields: [
		...selectionFields('all'),
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
					['Forbid Download', 'forbidDownload', true],
					'Whether files can only be viewed',
				),
				numberOption(
					['Longest Access (Days)', 'maxAccessDays', 90],
					[0, MAX_DAYS],
					'In how many days from today access has to end',
				),
				simpleField(['Require End', 'requireEnd', true], 'Whether access has to end at all'),
			],
		},
		onViolationField,
		...createDryRunFields('If off, Fix and Revoke Access change the containers at once'),
	],
	options: [queryOption],
	parse(item) {
		const onViolation = item.read(onViolationField);
		const policy =
			item.read(policyField) === 'fields'
				? parseGuardrails(item.getParameter('policyFields', {}) as IDataObject, 'Policy Fields')
				: getGuardrails(item.client);
		if (isEmptyPolicy(policy)) {
			throw new UserError('The policy has no rule', {
				description:
					'Set guardrails in the credential; or set "Policy" to Fields Below, and add at least one rule to "Policy Fields".',
			});
		}
		const today = getDateInDays(0, item.timeZone);
		const task: RulesTask = {
			needs: ['time', 'recipients', 'downloadable'],
			decide: (shown) => decideCheck(shown, onViolation, findViolations(shown, policy, today)),
			isDryRun: parseDryRun(item, { canChange: onViolation !== 'report' }),
		};
		// A filter by `compliant` must not lose it.
		const failedFields = { compliant: false, violations: [] };
		return { selection: parseSelection(item), task, failedFields };
	},
	plan: planContainers,
});

function decideCheck(shown: ShownRules, onViolation: string, all: Violation[]): RulesChange {
	// What is over breaks no policy.
	const found = hasEnded(shown) ? [] : all;
	const violations = found.map(({ rule, actual, allowed }) => ({ rule, actual, allowed }));
	const report = (action: string, reason: string, change: RulesChange = {}): RulesChange => {
		const output = { compliant: found.length === 0, violations, action, reason } as IDataObject;
		return { ...change, output };
	};
	if (hasEnded(shown)) return report('none', 'change nothing: access is over.');
	if (found.length === 0) return report('none', 'change nothing: it keeps to the policy.');
	if (onViolation === 'report') return report('none', 'change nothing.');
	const fixed = findFixed(shown.rules, 'the container');
	if (fixed !== undefined) {
		return report('none', `change nothing. ${fixed.message}. To end access, delete it.`);
	}
	if (onViolation === 'revoke' || found.some(({ fix }) => fix === 'end')) {
		return report('revoked', 'end access.', endAccess(shown));
	}
	const patch: RulesPatch = Object.assign({}, ...found.map(({ fix }) => fix ?? {}));
	const isEndless = found.some(({ rule }) => rule === 'Require End');
	const left = isEndless ? ' It has no end: only a longest access says when it has to end.' : '';
	const names = Object.keys(patch).join(', ');
	if (names === '') return report('none', `change nothing.${left}`);
	return report('fixed', `change ${names}.${left}`, { patch });
}

function findViolations(shown: ShownRules, policy: Guardrails, today: string): Violation[] {
	const { allowedRecipients: allowed, maxAccessDays, forbidDownload, requireEnd } = policy;
	const { recipients = [], time = {}, downloadable: download = null } = shown.rules;
	const { start = '', end = null } = time;
	const found: Violation[] = [];
	const others = listNotCovered(recipients, allowed);
	if (allowed !== undefined && (others.length > 0 || recipients.length === 0)) {
		const left = recipients.filter((entry) => !others.includes(entry));
		const fix = left.length === 0 ? 'end' : { recipients: left };
		found.push({ rule: 'Allowed Recipients', actual: others, allowed, fix });
	}
	if (maxAccessDays !== undefined) {
		const latest = addDays(today, maxAccessDays);
		const isLate = (day: string) => day > addDays(latest, shown.tolerance);
		const window = toWindow({ ...time, end: latest }, today) as DrmRules['time'];
		const fix = isLate(start) ? 'end' : { time: window };
		if (isLate(end ?? NEVER)) {
			found.push({ rule: 'Longest Access (Days)', actual: end, allowed: latest, fix });
		}
	} else if (requireEnd && end === null) {
		found.push({ rule: 'Require End', actual: null, allowed: 'an end' });
	}
	if (forbidDownload && download !== false) {
		const fix = { downloadable: false };
		found.push({ rule: 'Forbid Download', actual: download, allowed: false, fix });
	}
	return found;
}
