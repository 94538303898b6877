import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { CONTACT_LIST, fetchEntries } from '../../../shared/api/lists';
import { getContactEmail } from '../../../shared/api/records';
import { createInputError, isNotFound } from '../../../shared/errors/nodeErrors';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { connectAll, linkToAll } from '../../execution/allItems';
import type { Item } from '../../execution/item';
import type { Call, Job, Operation, ParsedItem, RunServices } from '../../execution/operation';
import { deleteRecord } from '../commonOperations';
import { getContactFields } from './contactFields';
import type { KnownContacts } from './knownContacts';
import { groupByAddress, listDifferences } from './knownContacts';
import { isSameValue } from './sameValue';
import { assertFewDeletions, explainNoDeletions } from './syncRefusals';
import type { SyncSettings } from './syncSettings';
import { getSyncSettings, SETTING_LABELS } from './syncSettings';
import { findContradiction, getContactPath, writeContact } from './writeContact';

/** The contact that an item wants. */
interface Row {
	email: string;
	/** As `toAddressKey` returns it. */
	key: string;
	fields: IDataObject;
	settings: SyncSettings;
}

type ValidRow = { item: Item; input: Row };

/** What to do, decided before the first change, and the same in each try of the node. */
interface Plan {
	userId: string;
	settings: SyncSettings;
	/** The contacts before the first change. */
	known: KnownContacts;
	/** Those that no item has. */
	missing: string[];
	/** What was sent for those that no response shows, by `toAddressKey`. */
	unseen: Map<string, IDataObject>;
}

/** Makes the contacts of a user match all input items (docs/openapi.yaml, listContacts, upsertContact, deleteContact). */
export const sync: Operation<Row> = {
	parse(item) {
		const getEntered = item.getErrorFields.bind(item);
		item.getErrorFields = () => ({ email: getEntered().contactEmail });
		const { contactEmail: email } = item.getPathParams();
		const settings = getSyncSettings(item);
		return { email, key: toAddressKey(email), fields: getContactFields(item, email), settings };
	},
	async *plan(entries, run) {
		const groups = groupItems(entries);
		const parsed = entries.map((entry) => refuseDuplicates(entry, groups));
		const rows = parsed.filter((entry): entry is ValidRow => entry.input !== undefined);
		const plan = rows.length === 0 ? undefined : await getPlan(groups, rows, run);
		let failures = 0;
		yield parsed.map((entry) => {
			const job = run.createJob(entry, async (call) => {
				return plan && entry.input ? [await syncRow(call, entry.input, plan)] : [];
			});
			const send = async () =>
				await job.send().catch((error: unknown) => {
					failures += 1;
					throw error;
				});
			return { ...job, send };
		});
		if (plan === undefined) return;
		const { deleteMissing, dryRun } = plan.settings;
		if (dryRun) run.addHint('This was a dry run. No contact was changed.');
		if (!deleteMissing) return;
		const [{ item }] = rows;
		const shared = { pairedItem: linkToAll(parsed), item, isForAllItems: true };
		const unseen = failures === 0 ? await listUnseen(await run.connect(item), plan) : [];
		const problem = explainNoDeletions(failures, unseen);
		if (problem !== undefined) {
			const send = async () => await Promise.reject(problem);
			yield [{ ...shared, id: 'no deletions', getErrorFields: () => ({}), send }];
			return;
		}
		yield plan.missing.map((email): Job => ({
			...shared,
			id: `delete ${email}`,
			getErrorFields: () => ({ email }),
			async send() {
				if (!dryRun) await deleteMissingContact(await run.connect(item), plan.userId, email);
				return [{ action: 'deleted', email, changes: [] }];
			},
		}));
	},
};

/** The items with the same address, by `toAddressKey`; undefined for those whose address can't be read. */
function groupItems(parsed: Array<ParsedItem<Row>>): Map<string | undefined, number[]> {
	const groups = new Map<string | undefined, number[]>();
	for (const { item, input } of parsed) {
		const key = input?.key ?? readAddressKey(item);
		const items = groups.get(key) ?? [];
		items.push(item.index);
		groups.set(key, items);
	}
	return groups;
}

/**
 * Items with the same address contradict each other. Where the node continues on errors, they fail alone.
 *
 * @throws NodeOperationError where it doesn't
 */
function refuseDuplicates(
	entry: ParsedItem<Row>,
	groups: Map<string | undefined, number[]>,
): ParsedItem<Row> {
	const { item, input } = entry;
	const items = groups.get(input?.key) ?? [];
	if (input === undefined || items.length < 2) return entry;
	const listed = `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;
	const message = `The items ${listed} have the same address, "${input.email}"`;
	const description =
		'Nothing was sent for them. Remove the duplicates from the input, for example with a Remove Duplicates node. Capitals make no difference in an address.';
	const { context } = item.host;
	if (context.continueOnFail()) return { item, error: new UserError(message, { description }) };
	throw createInputError(context.getNode(), { message, description, itemIndex: items[1] });
}

function readAddressKey(item: Item): string | undefined {
	try {
		return toAddressKey(item.getPathParams().contactEmail);
	} catch {
		return undefined;
	}
}

/**
 * Compares the items with the contacts of the user.
 *
 * @throws NodeOperationError when the items differ in a setting, or when too many contacts would be deleted
 * @throws NodeApiError when the list can't be fetched as a whole
 */
async function getPlan(
	groups: Map<string | undefined, number[]>,
	rows: ValidRow[],
	run: RunServices,
): Promise<Plan> {
	if (run.memory.plan !== undefined) return run.memory.plan as Plan;
	const [{ settings }] = rows.map(({ input }) => input);
	const sameRows = rows.map(({ item, input }) => ({ item, settings: input.settings }));
	const call = await connectAll(sameRows, run, SETTING_LABELS);
	const userId = await call.getUserId();
	const entries = await fetchEntries(call.client, CONTACT_LIST, userId);
	const known = groupByAddress(entries);
	// An item without an address could be any of the contacts.
	const mayDelete = settings.deleteMissing && !groups.has(undefined);
	const missing = [...known]
		.filter(([key]) => mayDelete && !groups.has(key))
		.flatMap(([, same]) => same.map(({ id }) => id));
	assertFewDeletions(missing, entries.length, settings);
	const plan = { userId, settings, known, missing, unseen: new Map() };
	run.memory.plan = plan;
	return plan;
}

/** Compares a row with the contact of the same spelling, or with the first in another one, and writes it if it differs. */
async function syncRow(
	call: Call,
	{ email, key, fields, settings }: Row,
	{ userId, known, unseen }: Plan,
): Promise<IDataObject> {
	const entries = known.get(key) ?? [];
	const current = entries.find(({ id }) => id === email) ?? entries.at(0);
	const records = current === undefined ? [{}] : [current.record, ...current.duplicates];
	const changes = [...new Set(records.flatMap((record) => listDifferences(record, fields)))];
	// As the service spells it.
	const address = current?.id ?? email;
	if (current !== undefined && changes.length === 0) {
		return { action: 'unchanged', email: address, changes };
	}
	if (!settings.dryRun) {
		// All of it, as a service may replace the whole contact, but no cell that is empty on both sides.
		const isFilled = ([name, value]: [string, unknown]) =>
			changes.includes(name) || !isSameValue(value, null);
		const filled = Object.fromEntries(Object.entries(fields).filter(isFilled));
		const record = await writeContact(call, userId, address, filled);
		if (getContactEmail(record ?? {}) === undefined) unseen.set(key, filled);
	}
	return { action: current === undefined ? 'created' : 'updated', email: address, changes };
}

/** A service can ignore a contact, or save it under another address, such as one that would be deleted, and not say so. */
async function listUnseen(call: Call, { userId, missing, unseen }: Plan): Promise<string[]> {
	if (missing.length === 0 || unseen.size === 0) return [];
	for (const { id, record } of await fetchEntries(call.client, CONTACT_LIST, userId)) {
		const fields = unseen.get(toAddressKey(id));
		if (fields && findContradiction(record, fields) === undefined) unseen.delete(toAddressKey(id));
	}
	return [...unseen.keys()];
}

/** Somebody else may have deleted it meanwhile. */
async function deleteMissingContact(call: Call, userId: string, email: string): Promise<void> {
	const path = getContactPath(userId, email);
	const deletion = deleteRecord(call.client, { path, action: `delete the contact "${email}"` });
	await deletion.catch((error: unknown) => {
		if (!isNotFound(error)) throw error;
	});
}
