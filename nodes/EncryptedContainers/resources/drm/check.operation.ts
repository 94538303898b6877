import { UserError, type IDataObject } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { parseRule } from '../../../shared/api/ruleValues';
import { numberOption } from '../../../shared/descriptions/options';
import {
	addDays,
	getDateInDays,
	isDayAnywhere,
	isEndOfDay,
	isNoDate,
	MAX_DAYS,
	parseServiceDate,
} from '../../../shared/parameters/dates';
import { parseBoolean, parseChoiceField, parseOption } from '../../../shared/parameters/scalars';
import {
	choiceField,
	dryRunFields,
	recipientOptions,
	simpleField,
} from '../../descriptions/commonFields';
import { parseDryRun } from '../../execution/allItems';
import { defineOperation } from '../../execution/defineOperation';
import type { Call } from '../../execution/operation';
import { listNotCovered } from '../../parameters/allowedRecipients';
import type { Guardrails } from '../../parameters/guardrails';
import { getGuardrails, isEmptyPolicy, parseGuardrails } from '../../parameters/guardrails';
import { parseSelection, planContainers, selectionFields } from './manyContainers';
import { changeTo, endAccess, findFixed, hasEnded } from './ruleChanges';

const [allowedRecipientsField] = recipientOptions;

const policyField = choiceField(
	['Policy', 'policy', 'credential'],
	{ credential: ['Guardrails of the Credential'], fields: ['Fields Below'] },
	'What the rules of the containers are compared with',
);

type Reaction = 'fix' | 'report' | 'revoke';

const onViolationField = choiceField<Reaction>(
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

type Violation = { rule: string; actual: unknown; allowed: unknown; fix?: DrmRules | 'end' };

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
			default: {},
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
					{ minValue: 0, maxValue: MAX_DAYS },
					'In how many days from today access has to end',
				),
				simpleField(['Require End', 'requireEnd', true], 'Whether access has to end at all'),
			],
		},
		onViolationField,
		...dryRunFields,
	],
	parse(item) {
		const fields = item.getParameter('policyFields', {}) as IDataObject;
		const onViolation = parseChoiceField(item, onViolationField);
		const hasFields = parseChoiceField(item, policyField) === 'fields';
		const requireEnd = parseOption(fields, 'requireEnd', false, (value) =>
			parseBoolean(value, 'Require End'),
		);
		const selection = parseSelection(item);
		const policy = hasFields && { ...parseGuardrails(fields, 'Policy Fields'), requireEnd };
		const getPolicy = ({ session }: Call): Guardrails => policy || getGuardrails(session);
		const dryRun = parseDryRun(item, onViolation !== 'report');
		const today = getDateInDays(0, item.timeZone);
		const createTask = (call: Call) => {
			const current = getPolicy(call);
			const { allowedRecipients, forbidDownload } = current;
			return {
				needs: [
					'time',
					...(allowedRecipients === undefined ? [] : ['recipients']),
					...(forbidDownload ? ['downloadable'] : []),
				],
				decide: (rules: DrmRules) => decideCheck(rules, current, onViolation, today),
				// A filter by `compliant` must not lose it.
				failedFields: { compliant: false, violations: [] },
			};
		};
		return { ...selection, dryRun, getPolicy, createTask };
	},
	check(call, { getPolicy }) {
		if (!isEmptyPolicy(getPolicy(call))) return;
		throw new UserError('The policy has no rule', {
			description:
				'Set guardrails in the credential; or set "Policy" to Fields Below, and add at least one rule to "Policy Fields".',
		});
	},
	plan: (parsed, run) => planContainers(parsed, run),
});

function decideCheck(rules: DrmRules, policy: Guardrails, reaction: Reaction, today: string) {
	const isOver = hasEnded(rules);
	const found = isOver ? [] : findViolations(rules, policy, today);
	const fixes = found.map(({ fix }) => fix ?? {});
	const violations = found.map(({ rule, actual, allowed }) => ({ rule, actual, allowed }));
	const report = (reason: string, action = 'none') => ({
		output: { compliant: found.length === 0, violations, action, reason } as IDataObject,
	});
	if (found.length === 0) return report(isOver ? 'Access is over.' : 'It keeps to the policy.');
	if (reaction === 'report') return report('Nothing was changed.');
	const fixed = findFixed(rules, 'the container');
	if (fixed !== undefined) return report(`${fixed.message}. To end access, delete it.`);
	if (reaction === 'revoke' || fixes.includes('end')) {
		return { ...report('Access ended.', 'revoked'), ...endAccess(rules) };
	}
	const change: DrmRules = Object.assign({}, ...fixes);
	const isEndless = change.time === undefined && found.some(({ rule }) => rule === 'requireEnd');
	const left = isEndless ? ' No end was set: only a longest access says when it has to end.' : '';
	const names = Object.keys(change).join(', ');
	if (names === '') return report(`Nothing was changed.${left}`);
	return { ...report(`Changed: ${names}.${left}`, 'fixed'), ...changeTo(rules, change) };
}

function findViolations(rules: DrmRules, policy: Guardrails, today: string): Violation[] {
	const { allowedRecipients: allowed, maxAccessDays, forbidDownload, requireEnd } = policy;
	const { recipients = [], time, downloadable = null } = rules;
	const found: Violation[] = [];
	const others = listNotCovered(recipients, allowed);
	if (allowed !== undefined && (others.length > 0 || recipients.length === 0)) {
		const left = recipients.filter((entry) => !others.includes(entry));
		const fix = left.length === 0 ? 'end' : { recipients: left };
		found.push({ rule: 'allowedRecipients', actual: others, allowed, fix });
	}
	const day = parseServiceDate(time?.end);
	const actual = day ?? (isNoDate(time?.end) ? null : String(time?.end));
	if (maxAccessDays !== undefined) {
		const latest = addDays(today, maxAccessDays);
		const startsOn = parseServiceDate(time?.start) ?? '';
		const beginsLater = startsOn > latest && !isDayAnywhere(time?.start, latest);
		const fix = beginsLater ? 'end' : { time: { end: latest } };
		// A service can show the end of the last day as a moment of the next one: it would be mended in each run.
		const isKept = day !== undefined && (day <= latest || isEndOfDay(time?.end, latest));
		if (!isKept) found.push({ rule: 'maxAccessDays', actual, allowed: latest, fix });
	}
	if (requireEnd && day === undefined) {
		found.push({ rule: 'requireEnd', actual, allowed: 'an end' });
	}
	if (forbidDownload && parseRule('downloadable', downloadable) !== false) {
		const fix = { downloadable: false };
		found.push({ rule: 'forbidDownload', actual: downloadable, allowed: false, fix });
	}
	return found;
}
