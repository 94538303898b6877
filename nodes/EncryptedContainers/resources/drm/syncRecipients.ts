import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import type { ListEntry } from '../../../shared/api/lists';
import { coversAddress, isWildcard, toAddressKey } from '../../../shared/parameters/addresses';
import { getDateInDays } from '../../../shared/parameters/dates';
import { parseBoolean, parseInteger, parseOption } from '../../../shared/parameters/scalars';
import { isSameJson } from '../../../shared/responses/canonicalJson';
import type { Item } from '../../execution/item';
import type { Call, Job, Operation, ParsedItem, RunServices } from '../../execution/operation';
import {
	assertRecipientsAllowed,
	getRecipientPolicy,
	listNames,
} from '../../parameters/allowedRecipients';
import { parseRecipients } from '../../parameters/drmRules';
import { assertRulesAllowed, parseGuardrails } from '../../parameters/guardrails';
import type { Decision } from './containerJobs';
import { createContainerJobs } from './containerJobs';
import type { Selection } from './selectContainers';
import { fetchSelected, parseSelection } from './selectContainers';

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
		const dryRun = parseOption(options, 'dryRun', false, (value) => parseBoolean(value, 'Dry Run'));
		assertAllItems(item, dryRun);
		const emails = parseRecipients(item.getParameter('email'), 'Email');
		if (emails.length === 0) {
			throw new UserError('"Email" is empty', {
				description: 'Enter an expression that returns the address of the item in "Email".',
			});
		}
		const policy = getRecipientPolicy(options);
		assertRecipientsAllowed(emails, item.getRawParameter('email'), 'Email', policy);
		return {
			emails,
			today: getDateInDays(0, item.timeZone),
			settings: {
				userId: item.getPathParams().userId,
				selection: parseSelection(item),
				keep: parseRecipients(item.getParameter('keepAddresses'), 'Keep Addresses'),
				maxRemovals: parseOption(options, 'maxRemovals', 10, (value) =>
					parseInteger(value, MAX_REMOVALS, 0, 100),
				),
				dryRun,
			},
		};
	},
	check({ session }, { emails, today }) {
		const guardrails = parseGuardrails(session.connection.credential.data ?? {});
		assertRulesAllowed({ recipients: emails }, guardrails, today);
	},
	async *plan(parsed, run) {
		const { rows, call, settings } = await connectRows(parsed, run);
		const wanted = uniteAddresses(rows.flatMap(({ emails }) => emails));
		const containers = await fetchSelected(call, settings.selection);
		// First every container is read and every bound checked, without a change.
		const excess = new Map<string, string>();
		const decide = (rules: DrmRules) => decideSync(rules, wanted, settings);
		const needs = ['recipients'];
		const bounded = (container: Pick<ListEntry, 'id' | 'name'>) => (rules: DrmRules) => {
			const { removed, isTooMuch } = decide(rules);
			if (isTooMuch) excess.set(container.name ?? container.id, listNames(removed));
			return undefined;
		};
		const links = parsed.map(({ item }) => ({ item: item.index }));
		const linked = (jobs: Job[]) =>
			jobs.map((job): Job => ({ ...job, pairedItem: links.length === 1 ? links[0] : links }));
		const failed = new Set<string>();
		yield linked(
			containers.flatMap((container) => {
				const task = { needs, decide: bounded(container), dryRun: true };
				return createContainerJobs(run, call, [container], task).map((job) => ({
					...job,
					// In each try: the bounds have to hold again.
					id: `check ${run.memory.tries} ${job.id}`,
					send: async () => {
						failed.add(container.id);
						const records = await job.send();
						failed.delete(container.id);
						return records;
					},
				}));
			}),
		);
		if (excess.size > 0 && !settings.dryRun) throw createExcessError(excess, settings);
		if (settings.dryRun) run.addHint('This was a dry run. No rules were changed.');
		const readable = containers.filter(({ id }) => !failed.has(id));
		const task = { needs, decide, dryRun: settings.dryRun };
		yield linked(createContainerJobs(run, call, readable, task));
	},
};

/** All items with one credential and one group of settings. @throws where one item can't be used: nothing is changed */
async function connectRows(
	parsed: Array<ParsedItem<Row>>,
	run: RunServices,
): Promise<{ rows: Row[]; call: Call; settings: Settings }> {
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
	return { rows, call, settings: rows[0].settings };
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
	const keptKeys = new Set(keep.map(toAddressKey));
	const keptWildcards = keep.filter(isWildcard);
	const isKept = (entry: string) =>
		wanted.has(toAddressKey(entry)) ||
		keptKeys.has(toAddressKey(entry)) ||
		keptWildcards.some((wildcard) => coversAddress(wildcard, entry));
	const kept = recipients.filter(isKept);
	const removed = recipients.filter((entry) => !isKept(entry));
	const known = new Set(kept.map(toAddressKey));
	const added = [...wanted].filter(([key]) => !known.has(key)).map(([, forms]) => pickForm(forms));
	const isChanged = added.length + removed.length > 0;
	const output: IDataObject = {
		action: isChanged ? 'updated' : 'unchanged',
		added,
		removed,
		unchanged: kept.length,
	};
	const change = isChanged ? { recipients: [...kept, ...added] } : undefined;
	return {
		output,
		change,
		removed,
		isTooMuch: removed.length * 100 > maxRemovals * recipients.length,
	};
}

function pickForm(forms: Set<string>): string {
	const [first, second] = forms;
	if (second === undefined) return first;
	throw new UserError(`"${first}" and "${second}" are the same address`, {
		description: 'Nothing was changed. Use one form of it in all input items.',
	});
}

/** @throws UserError where the item can't be the whole group */
function assertAllItems({ host }: Item, dryRun: boolean): void {
	const { type, executeOnce } = host.context.getNode();
	if (dryRun) return;
	if (type.endsWith('Tool')) {
		throw new UserError('Sync Recipients needs the whole group at once, but an agent sends one', {
			description: 'Nothing was changed. Use DRM > Update as the tool, or turn on "Dry Run".',
		});
	}
	if (!executeOnce) return;
	throw new UserError('Sync Recipients needs all input items, but "Execute Once" is on', {
		description: 'Turn off "Execute Once" in the node\'s settings.',
	});
}

function createExcessError(excess: Map<string, string>, { maxRemovals }: Settings): UserError {
	const listed = [...excess].slice(0, 5).map(([name, removed]) => `"${name}": ${removed}`);
	const more = excess.size > listed.length ? ` And ${excess.size - listed.length} more.` : '';
	return new UserError(
		`More than ${maxRemovals}% of the recipients would be removed from ${excess.size} ${excess.size === 1 ? 'container' : 'containers'}`,
		{
			description: `Nothing was changed. It would remove: ${listed.join('; ')}.${more} Check that the input is the whole group. To see all changes, turn on "Dry Run". To make them, raise "${MAX_REMOVALS}" in the options.`,
		},
	);
}
