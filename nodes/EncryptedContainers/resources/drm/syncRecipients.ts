import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { userIdOption } from '../../../shared/descriptions/options';
import { covers, toAddressKey } from '../../../shared/parameters/addresses';
import { getDateInDays } from '../../../shared/parameters/dates';
import { parseInteger, parseOption } from '../../../shared/parameters/scalars';
import { dryRunOption } from '../../descriptions/commonFields';
import { assertAllItems, connectAll, isAgent, linkToAll } from '../../execution/allItems';
import type { Job, Operation } from '../../execution/operation';
import {
	assertRecipientsAllowed,
	getRecipientPolicy,
	listNames,
} from '../../parameters/allowedRecipients';
import { parseRecipients } from '../../parameters/drmRules';
import { assertRulesAllowed, getGuardrails } from '../../parameters/guardrails';
import type { ContainerEntry, ContainerTask, Decision } from './containerJobs';
import { createContainerJobs, DRY_RUN_HINT, fetchContainers } from './containerJobs';
import type { Selection } from './selectContainers';
import { NAME_LABEL, parseDryRun, parseSelection } from './selectContainers';

export const MAX_REMOVALS = 'Max Removals (%)';

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

interface Row {
	/** Several where an item has a list. */
	emails: string[];
	settings: Settings;
	today: string;
}

/** Makes the recipients of containers those of all input items (docs/openapi.yaml, getDrmRules, updateDrmRules). */
export const syncRecipients: Operation<Row> = {
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
		const createJobs = (entries: ContainerEntry[], task: Partial<ContainerTask>) =>
			createContainerJobs(call, entries, {
				needs: ['recipients'],
				decide(rules, entry) {
					const decision = decideSync(rules, wanted, settings);
					if (!decision.isTooMuch || dryRun) return decision;
					throw createExcessError([[entry, decision]], settings, 'Nothing was sent for it.');
				},
				dryRun,
				...task,
			}).map((job): Job => ({ ...job, pairedItem }));
		if (containers.length < 2 || dryRun) return yield createJobs(containers, {});
		// First every container is read and every bound checked, without a change, and in each try of the node.
		const known = new Map<ContainerEntry, Trial>();
		let refusal: Error | undefined;
		const trials = createJobs(containers, {
			decide(rules, entry) {
				try {
					known.set(entry, decideSync(rules, wanted, settings));
				} catch (error) {
					refusal = error as Error;
				}
				return undefined;
			},
			dryRun: true,
		});
		yield trials.map((job) => ({ ...job, id: `trial ${run.memory.tries} ${job.id}` }));
		if (refusal !== undefined) throw refusal;
		const excess = [...known].filter(([, { isTooMuch }]) => isTooMuch);
		if (excess.length > 0) {
			const isChanged = parsed.some(({ item }) => item.state.hasSent);
			const done = isChanged ? 'An earlier try changed some containers.' : 'Nothing was changed.';
			throw createExcessError(excess, settings, done);
		}
		const readable = containers.filter((entry) => known.has(entry));
		yield createJobs(readable, { known });
	},
};

type Trial = ReturnType<typeof decideSync>;

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
function decideSync(
	{ recipients = [] }: DrmRules,
	wanted: Map<string, Set<string>>,
	{ keep, maxRemovals }: Pick<Settings, 'keep' | 'maxRemovals'>,
): Decision & { removed: string[]; isTooMuch: boolean } {
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
		removed,
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
	excess: Array<[ContainerEntry, Trial]>,
	{ maxRemovals }: Settings,
	done: string,
): UserError {
	const listed = excess
		.slice(0, 5)
		.map(([{ id, name = id }, { removed }]) => `"${name}": ${listNames(removed)}`);
	const more = excess.length > listed.length ? ` And ${excess.length - listed.length} more.` : '';
	return new UserError(
		`More than ${maxRemovals}% of the recipients would be removed from ${excess.length} ${excess.length === 1 ? 'container' : 'containers'}`,
		{
			description: `${done} It would remove: ${listed.join('; ')}.${more} Check that the input is the whole group. To see all changes, turn on "Dry Run". To make them, raise "${MAX_REMOVALS}" in the options.`,
		},
	);
}
