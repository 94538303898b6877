import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { covers, toAddressKey } from '../../../shared/parameters/addresses';
import { getDateInDays } from '../../../shared/parameters/dates';
import { parseInteger, parseOption } from '../../../shared/parameters/scalars';
import { isSameJson } from '../../../shared/responses/canonicalJson';
import type { Item } from '../../execution/item';
import type { Call, Job, Operation, ParsedItem, RunServices } from '../../execution/operation';
import {
	assertRecipientsAllowed,
	getRecipientPolicy,
	listNames,
} from '../../parameters/allowedRecipients';
import { assertNotEmpty, parseRecipients } from '../../parameters/drmRules';
import { assertRulesAllowed, getGuardrails } from '../../parameters/guardrails';
import type { ContainerEntry, Decision } from './containerJobs';
import { createContainerJobs, DRY_RUN_HINT, fetchContainers } from './containerJobs';
import type { Selection } from './selectContainers';
import { isAgent, parseDryRun, parseSelection } from './selectContainers';

export const MAX_REMOVALS = 'Max Removals (%)';

/** What applies to all items. */
interface Settings {
	userId?: string;
	selection: Selection;
	/** Addresses and wildcards that are never removed. */
	keep: string[];
	/** Percent of the recipients there are. */
	maxRemovals: number;
	dryRun: boolean;
}

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
		if (!dryRun) assertAllItems(item);
		const emails = parseRecipients(item.getParameter('email'), 'Email');
		assertNotEmpty(emails, 'Email');
		const policy = getRecipientPolicy(options);
		assertRecipientsAllowed(emails, item.getRawParameter('email'), 'Email', policy);
		const settings = {
			userId: item.getPathParams().userId,
			selection: parseSelection(item),
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
		const { emails, call, settings } = await connectRows(parsed, run);
		const { dryRun, selection } = settings;
		if (dryRun) run.addHint(DRY_RUN_HINT);
		const wanted = uniteAddresses(emails);
		const containers = await fetchContainers(call, selection);
		const needs = ['recipients'];
		const links = parsed.map(({ item }) => ({ item: item.index }));
		const pairedItem = links.length === 1 ? links[0] : links;
		const linked = (jobs: Job[]) => jobs.map((job): Job => ({ ...job, pairedItem }));
		const decide = (rules: DrmRules, entry: ContainerEntry) => {
			const decision = decideSync(rules, wanted, settings);
			if (decision.isTooMuch && !dryRun)
				throw createExcessError([[entry, decision]], settings, 'Nothing was sent for it.');
			return decision;
		};
		const task = { needs, decide, dryRun };
		if (containers.length < 2 || dryRun) {
			return yield linked(createContainerJobs(call, containers, task));
		}
		// First every container is read and every bound checked, without a change, and in each try of the node.
		const known = new Map<string, Trial>();
		const excess: Array<[ContainerEntry, Trial]> = [];
		let refusal: Error | undefined;
		const decideTrial = (rules: DrmRules, entry: ContainerEntry) => {
			try {
				const trial = decideSync(rules, wanted, settings);
				known.set(entry.id, trial);
				if (trial.isTooMuch) excess.push([entry, trial]);
			} catch (error) {
				refusal = error as Error;
			}
			return undefined;
		};
		const trials = createContainerJobs(call, containers, {
			needs,
			decide: decideTrial,
			dryRun: true,
		});
		yield linked(trials.map((job) => ({ ...job, id: `trial ${run.memory.tries} ${job.id}` })));
		const isChanged = parsed.some(({ item }) => item.state.hasSent);
		const done = isChanged ? 'An earlier try changed some containers.' : 'Nothing was changed.';
		if (refusal !== undefined) throw refusal;
		if (excess.length > 0) throw createExcessError(excess, settings, done);
		const readable = containers.filter(({ id }) => known.has(id));
		yield linked(createContainerJobs(call, readable, { ...task, known }));
	},
};

type Trial = ReturnType<typeof decideSync>;

/** All items with one credential and one group of settings. @throws where one item can't be used: nothing is changed */
async function connectRows(
	parsed: Array<ParsedItem<Row>>,
	run: RunServices,
): Promise<{ emails: string[]; call: Call; settings: Settings }> {
	const rows: Row[] = [];
	const call = await run.connect(parsed[0].item);
	for (const { item, input, error } of parsed) {
		if (input === undefined) throw error;
		rows.push(input);
		const { session } = await run.connect(item);
		if (session === call.session && isSameJson(input.settings, rows[0].settings)) continue;
		throw new UserError(`The settings of item ${item.index} differ from those of item 0`, {
			description:
				'Nothing was changed. All items are the recipients of the same containers: use the same values in all fields but "Email", and the same credential.',
		});
	}
	return { emails: rows.flatMap(({ emails }) => emails), call, settings: rows[0].settings };
}

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

/** @throws UserError where the item can't be the whole group */
function assertAllItems(item: Item): void {
	if (isAgent(item)) {
		throw new UserError('Sync Recipients needs the whole group at once, but an agent sends one', {
			description: 'Nothing was changed. Use DRM > Update as the tool, or turn on "Dry Run".',
		});
	}
	if (!item.host.context.getNode().executeOnce) return;
	throw new UserError('Sync Recipients needs all input items, but "Execute Once" is on', {
		description: 'Turn off "Execute Once" in the node\'s settings.',
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
