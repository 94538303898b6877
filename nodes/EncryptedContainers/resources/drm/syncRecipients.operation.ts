import { UserError, type IDataObject } from 'n8n-workflow';

import type { RuleKey, ShownRules } from '../../../shared/api/shownRules';
import { endpoints } from '../../../shared/client/endpoints';
import { queryOption, simpleField } from '../../../shared/descriptions/options';
import { extendError } from '../../../shared/errors/errors';
import { covers, omitRepeated, toAddressKey } from '../../../shared/parameters/addresses';
import { assertNotEmpty, emptyError, isExpression } from '../../../shared/parameters/values';
import {
	contactEmailField,
	createDryRunFields,
	recipientOptions,
} from '../../descriptions/commonFields';
import { assertAllItems, joinItems, linkToAll } from '../../execution/allItems';
import { parseDryRun, percentOption, refuseTooMany } from '../../execution/brakes';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import {
	assertAllowed,
	assertMaySend,
	getGuardrails,
	isEmptyPolicy,
} from '../../parameters/guardrails';
import { parseAddressPatterns, parseRecipients } from '../../parameters/recipients';
import { parseSelection, wholeNameSelectionFields } from './containerSelection';
import { createContainerJobs } from './manyContainers';
import type { RulesTask } from './readModifyWrite';
import type { RulesPatch } from './ruleChanges';

const KEEP_ADDRESSES = 'Keep Addresses';

const maxRemovalsOption = percentOption(
	['Max Removals (%)', 'maxRemovals'],
	"The node doesn't change a container, and fails, if more than this percentage of its recipients would be removed. Two can always be removed.",
);

type Common = Awaited<ReturnType<typeof parseRecipientRow>>['common'];

/** Makes the recipients of containers those of all input items (docs/openapi.yaml, getDrmRules, updateDrmRules). */
export const syncRecipients = defineOperation({
	name: 'Sync Recipients',
	value: 'syncRecipients',
	action: 'Sync the recipients of containers',
	description: 'Make the recipients of containers those of all input items together',
	routing: { request: endpoints.updateDrmRules },
	alsoSends: [endpoints.listContainers, endpoints.getDrmRules],
	fields: [
		...wholeNameSelectionFields,
		{
			...contactEmailField,
			default: '={{ $json.email }}',
			description: 'Email address of each recipient: an expression',
			hint: 'All input items together are the recipients',
		},
		simpleField(
			[KEEP_ADDRESSES, 'keepAddresses', ''],
			'Addresses and wildcards that are never removed, separated by commas',
			{ placeholder: 'e.g. me@example.com, *@example.org' },
		),
		...createDryRunFields('If off, the recipients change at once'),
	],
	options: [...recipientOptions, maxRemovalsOption, queryOption],
	parse: parseRecipientRow,
	async *plan(parsed) {
		const rows = parsed.map(({ item, input, error }) => {
			if (error !== undefined) throw extendError(error, { itemIndex: item.index });
			return { item, ...input };
		});
		const item = await joinItems(rows);
		const [{ common }] = rows;
		// Who has one address for a table of people means another one for each item.
		if (rows.length > 1 && !isExpression(item.getRaw('email'))) {
			throw new UserError(`"Email" is the same for all ${rows.length} input items`, {
				description:
					'Nothing was changed. In "Email", choose Expression and enter {{ $json.email }}, with the name of the field that has the address. For fixed addresses, use Access Rules (DRM) > Update.',
			});
		}
		const emails = omitRepeated(rows.flatMap((row) => row.emails));
		const task = await createTask(item, emails, common);
		const jobs = await createContainerJobs(item, { selection: common, task });
		const pairedItem = linkToAll(parsed);
		yield jobs.map((job) => ({ ...job, pairedItem }));
	},
});

async function parseRecipientRow(item: Item) {
	const dryRun = parseDryRun(item);
	if (!dryRun) assertAllItems(item, 'Sync Recipients');
	const emails = parseRecipients(item.getParameter('email'), 'Email');
	const advice = 'If the group is empty, end access with Access Rules (DRM) > Revoke Access.';
	if (emails.length === 0) throw emptyError('Email', advice);
	const keepAddresses = parseAddressPatterns(item.getParameter('keepAddresses'), KEEP_ADDRESSES);
	// They would be removed.
	if (isExpression(item.getRaw('keepAddresses'))) assertNotEmpty(keepAddresses, KEEP_ADDRESSES);
	await assertMaySend(item, 'change', { recipients: emails }, contactEmailField);
	const { userId } = item.pathParams;
	const maxRemovals = item.read(maxRemovalsOption);
	const common = {
		...parseSelection(item, { isWholeName: true }),
		userId,
		keepAddresses,
		maxRemovals,
		dryRun,
	};
	return { emails, common };
}

/** What to do with each container. @throws UserError where too many would be removed, or the guardrails allow nobody more */
async function createTask(item: Item, emails: string[], common: Common): Promise<RulesTask> {
	const guardrails = getGuardrails(item.client);
	const isGuarded = !isEmptyPolicy(guardrails);
	const needs: RuleKey[] = isGuarded ? ['recipients', 'time', 'downloadable'] : ['recipients'];
	const countsDays = guardrails.maxAccessDays !== undefined;
	const calendar = countsDays ? await item.getCalendar() : undefined;
	const decideRecipients = createDecision(item, emails, common);
	return {
		needs,
		isDryRun: common.dryRun,
		decide(shown, title) {
			const { added, ...change } = decideRecipients(shown, title);
			if (added.length > 0) {
				const wanted = { ...shown.rules, ...change.patch };
				assertAllowed('rules', wanted as IDataObject, guardrails, calendar?.today);
			}
			return change;
		},
	};
}

function createDecision(item: Item, emails: string[], common: Common) {
	const { keepAddresses, maxRemovals, dryRun } = common;
	const wantedKeys = new Set(emails.map(toAddressKey));
	const isOnKeepList = covers(keepAddresses);
	const isKept = (entry: string) => wantedKeys.has(toAddressKey(entry)) || isOnKeepList(entry);
	return ({ rules: { recipients = [] } }: ShownRules, title: string) => {
		const removed = recipients.filter((entry) => !isKept(entry));
		refuseTooMany(item, {
			removed,
			all: recipients,
			maxPercent: maxRemovals,
			message: `More than ${maxRemovals}% of the recipients of ${title} would be removed`,
			description: `Its rules were not changed. Check that the input is the whole group. To see all changes, turn on "Dry Run". To make them, raise "${maxRemovalsOption.displayName}" in the options.`,
		});
		const kept = omitRepeated(recipients.filter(isKept));
		const wanted = omitRepeated([...kept, ...emails]);
		const added = wanted.slice(kept.length);
		const isChanged = added.length + removed.length > 0;
		const output: IDataObject = { action: isChanged ? 'updated' : 'unchanged' };
		Object.assign(output, { added, removed, unchanged: kept.length });
		if (dryRun) output.reason = describeDryRun(added.length, removed.length);
		const patch: RulesPatch | undefined = isChanged ? { recipients: wanted } : undefined;
		return { added, output, patch };
	};
}

function describeDryRun(added: number, removed: number): string {
	if (added + removed === 0) return 'Changed no recipients.';
	return `Added ${added} and removed ${removed} recipients.`;
}
