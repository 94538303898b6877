import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { userIdOption } from '../../../shared/descriptions/options';
import { covers, toAddressKey } from '../../../shared/parameters/addresses';
import { getDateInDays } from '../../../shared/parameters/dates';
import { parseInteger, parseOption } from '../../../shared/parameters/scalars';
import { dryRunOption, recipientOptions } from '../../descriptions/commonFields';
import { contactEmailField } from '../../descriptions/locators';
import { assertAllItems, connectAll, isAgent, linkToAll } from '../../execution/allItems';
import { defineOperation } from '../../execution/defineOperation';
import type { Job } from '../../execution/operation';
import { userParam } from '../../execution/pathParams';
import {
	assertRecipientsAllowed,
	getRecipientPolicy,
	listNames,
} from '../../parameters/allowedRecipients';
import { parseRecipients } from '../../parameters/drmRules';
import { assertRulesAllowed, getGuardrails } from '../../parameters/guardrails';
import type { ContainerTask, Decision } from './containerJobs';
import { createContainerJobs, DRY_RUN_HINT, parseDryRun } from './containerJobs';
import type { ContainerEntry, Selection } from './selectContainers';
import { fetchContainers, NAME_LABEL, parseSelection, selectionFields } from './selectContainers';

const MAX_REMOVALS = 'Max Removals (%)';

/** What applies to all items. */
interface Settings extends Selection {
	userId?: string;
	/** Addresses and wildcards that are never removed. */
	keep: string[];
	/** Percent of the recipients there are. */
	maxRemovals: number;
	dryRun: boolean;
}

const LABELS: Record<keyof Settings, string> = {
	userId: userIdOption.displayName,
	containerId: 'Containers',
	nameContains: NAME_LABEL,
	keep: 'Keep Addresses',
	maxRemovals: MAX_REMOVALS,
	dryRun: dryRunOption.displayName,
};

/** Makes the recipients of containers those of all input items (docs/openapi.yaml, getDrmRules, updateDrmRules). */
export const syncContainerRecipients = defineOperation({
	name: 'Sync Recipients',
	value: 'syncRecipients',
	action: 'Sync the recipients of containers',
	description: 'Make the recipients of containers those of all input items together',
	endpoint: { method: 'GET', path: ['users', userParam, 'containers'] },
	fields: [
		...selectionFields('one'),
		{
			...contactEmailField,
			description: 'Email address of a recipient: an expression that returns that of each item',
		},
		{
			displayName: 'Keep Addresses',
			name: 'keepAddresses',
			type: 'string',
			default: '',
			placeholder: 'e.g. me@example.com, *@example.org',
			description: 'Addresses and wildcards that are never removed, separated by commas',
		},
	],
	options: [
		...recipientOptions,
		dryRunOption,
		{
			displayName: MAX_REMOVALS,
			name: 'maxRemovals',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 100, numberPrecision: 0 },
			default: 10,
			description:
				'If more than this percentage of the recipients of a container would be removed, the node changes nothing and fails',
		},
	],
	parse(item) {
		const options = item.getOptions();
		const dryRun = parseDryRun(item);
		if (isAgent(item) && !dryRun) {
			throw new UserError('Sync Recipients needs the whole group at once, but an agent sends one', {
				description: 'Nothing was changed. Use DRM > Update as the tool, or turn on "Dry Run".',
			});
		}
		if (!dryRun) assertAllItems(item, 'Sync Recipients');
		const emails = parseRecipients(item.getParameter('email'), 'Email');
		if (emails.length === 0) {
			throw new UserError('"Email" is empty', {
				description:
					'Nothing was changed. Check that the field exists in each input item. If the group is empty, end access with DRM > Revoke Access.',
			});
		}
		const policy = getRecipientPolicy(options);
		assertRecipientsAllowed(emails, item.getRawParameter('email'), 'Email', policy);
		const settings = {
			userId: item.getPathParams().userId,
			...parseSelection(item),
			keep: parseRecipients(item.getParameter('keepAddresses'), 'Keep Addresses'),
			maxRemovals: parseOption(options, 'maxRemovals', 10, (value) =>
				parseInteger(value, MAX_REMOVALS, 0, 100),
			),
			dryRun,
		};
		return { emails, settings, today: getDateInDays(0, item.timeZone) };
	},
	check({ session }, { emails, today }) {
		assertRulesAllowed({ recipients: emails }, getGuardrails(session), today);
	},
	async *plan(parsed, run) {
		const rows = parsed.map(({ item, input, error }) => {
			if (input === undefined) throw error;
			return { item, ...input };
		});
		const call = await connectAll(rows, run, LABELS);
		const [{ settings }] = rows;
		const { dryRun } = settings;
		if (dryRun) run.addHint(DRY_RUN_HINT);
		const wanted = uniteAddresses(rows.flatMap(({ emails }) => emails));
		const containers = await fetchContainers(call, settings);
		const pairedItem = linkToAll(parsed);
		const createJobs = (
			entries: ContainerEntry[],
			decide: ContainerTask['decide'],
			isDryRun = dryRun,
		): Job[] => {
			const task = { needs: ['recipients'], decide, dryRun: isDryRun };
			return createContainerJobs(call, entries, task).map((job) => ({ ...job, pairedItem }));
		};
		// First every container is read and every bound checked, without a change, and in each try of the node.
		const changing: ContainerEntry[] = [];
		const excess: ContainerEntry[] = [];
		let refusal: Error | undefined;
		if (containers.length > 1 && !dryRun) {
			const trials = createJobs(
				containers,
				(rules, entry) => {
					try {
						const decision = compare(rules, wanted, settings);
						if (decision.change === undefined) return decision;
						changing.push(entry);
						if (decision.isTooMuch) excess.push(entry);
					} catch (error) {
						refusal = error as Error;
					}
					return undefined;
				},
				true,
			);
			yield trials.map((job) => ({ ...job, id: `trial ${run.memory.tries} ${job.id}` }));
			const isChanged = parsed.some(({ item }) => item.state.hasSent);
			const done = isChanged ? 'An earlier try changed some containers.' : 'Nothing was changed.';
			if (excess.length > 0) refusal ??= createExcessError(excess, settings, done);
			if (refusal !== undefined) throw refusal;
		}
		yield createJobs(containers.length > 1 && !dryRun ? changing : containers, (rules, entry) => {
			const decision = compare(rules, wanted, settings);
			if (!decision.isTooMuch || dryRun) return decision;
			throw createExcessError([entry], settings, 'Nothing was sent for it.');
		});
	},
});

/** The addresses by `toAddressKey`, in each form in which they were entered. */
function uniteAddresses(emails: string[]): Map<string, Set<string>> {
	const wanted = new Map<string, Set<string>>();
	for (const email of emails) {
		const key = toAddressKey(email);
		wanted.set(key, (wanted.get(key) ?? new Set()).add(email));
	}
	return wanted;
}

/** @throws UserError where two forms of one address would both be sent */
function compare(
	{ recipients = [] }: DrmRules,
	wanted: Map<string, Set<string>>,
	{ keep, maxRemovals }: Settings,
): Decision & { isTooMuch: boolean } {
	const isOnKeepList = covers(keep);
	const isKept = (entry: string) => wanted.has(toAddressKey(entry)) || isOnKeepList(entry);
	const kept = recipients.filter(isKept);
	const removed = recipients.filter((entry) => !isKept(entry));
	const known = new Set(kept.map(toAddressKey));
	const added = [...wanted].filter(([key]) => !known.has(key)).map(([, forms]) => pickForm(forms));
	const isChanged = added.length + removed.length > 0;
	const action = isChanged ? 'updated' : 'unchanged';
	return {
		output: { action, added, removed, unchanged: kept.length },
		change: isChanged ? { recipients: [...kept, ...added] } : undefined,
		isTooMuch: removed.length * 100 > maxRemovals * recipients.length,
	};
}

function pickForm([first, second]: Iterable<string>): string {
	if (second === undefined) return first;
	throw new UserError(`"${first}" and "${second}" are the same address`, {
		description: 'Nothing was sent now. Use one form of it in all input items.',
	});
}

function createExcessError(
	containers: ContainerEntry[],
	{ maxRemovals }: Settings,
	done: string,
): UserError {
	const names = listNames(containers.map(({ id, name = id }) => name));
	return new UserError(`More than ${maxRemovals}% of the recipients of ${names} would be removed`, {
		description: `${done} Check that the input is the whole group. To see all changes, turn on "Dry Run". To make them, raise "${MAX_REMOVALS}" in the options.`,
	});
}
