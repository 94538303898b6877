import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { CONTACT_LIST, fetchEntries } from '../../../shared/api/lists';
import { getContactEmail } from '../../../shared/api/records';
import { takeBreak } from '../../../shared/client/delay';
import { isNotFound } from '../../../shared/errors/nodeErrors';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { connectAll, linkToAll } from '../../execution/allItems';
import type { Item } from '../../execution/item';
import type { Call, Job, Operation, ParsedItem, RunServices } from '../../execution/operation';
import { deleteRecord } from '../commonOperations';
import { getContactFields } from './contactFields';
import type { KnownContacts } from './knownContacts';
import { groupByAddress, listDifferences } from './knownContacts';
import {
	assertFewDeletions,
	assertWholeTable,
	createDuplicatesError,
	describeDuplicates,
	findDeletionProblem,
} from './syncRefusals';
import type { SyncSettings } from './syncSettings';
import { getSyncSettings, SETTING_LABELS } from './syncSettings';
import { findContradiction, getContactPath, noteChange, writeContact } from './writeContact';

/** The contact that an item wants. */
interface Row {
	email: string;
	fields: IDataObject;
	settings: SyncSettings;
}

/** What a row changes. */
interface Difference {
	action: 'created' | 'updated' | 'unchanged';
	/** As the service spells it. */
	address: string;
	changes: string[];
}

/** What to do, decided before the first change, and the same in each try of the node. */
interface Plan {
	userId: string;
	settings: SyncSettings;
	/** By item. */
	differences: Map<number, Difference>;
	/** The items with the same address, by `toAddressKey`. */
	itemsByAddress: Map<string, number[]>;
	/** How many input items have no address that is known: each contact could be one of theirs. */
	unknownCount: number;
	/** The contacts that no item has. */
	missing: string[];
	/** The addresses that were written, in all forms in which the service shows them. */
	written: Set<string>;
	/** What was sent for those that no response shows. */
	unseen: Map<string, IDataObject>;
}

/** Makes the contacts of a user match all input items (docs/openapi.yaml, listContacts, upsertContact, deleteContact). */
export const sync: Operation<Row> = {
	parse(item) {
		const { getErrorFields } = item;
		item.getErrorFields = () => ({ email: getErrorFields().contactEmail });
		const { contactEmail: email } = item.getPathParams();
		const settings = getSyncSettings(item);
		assertWholeTable(item, settings);
		return { email, fields: getContactFields(item, email), settings };
	},
	async *plan(entries, run) {
		const parsed = await connectEach(entries, run);
		const rows = parsed.filter(({ error }) => error === undefined);
		if (rows.length === 0) return yield parsed.map((entry) => run.createJob(entry, doNothing));
		const plan = await getPlan(parsed, rows, run);
		let failures = 0;
		yield parsed.map((entry) => {
			const job = run.createJob(entry, async (call) => [await syncRow(call, entry, plan)]);
			return { ...job, send: countFailures(job.send, () => (failures += 1)) };
		});
		if (plan.settings.dryRun) run.addHint('This was a dry run. No contact was changed.');
		if (failures === 0 && plan.missing.length > 0) await lookForWritten(rows[0], run, plan);
		yield listDeletions(rows[0], parsed, run, plan, failures);
	},
};

const noError = () => undefined;

const doNothing = async () => await Promise.resolve([]);

function countFailures<T>(send: () => Promise<T>, onFailure: () => void): () => Promise<T> {
	return async () =>
		await send().catch((error: unknown) => {
			onFailure();
			throw error;
		});
}

/** Loads the credentials. Where the node continues on errors, an item whose credential can't be used fails alone. */
async function connectEach(
	entries: Array<ParsedItem<Row>>,
	run: RunServices,
): Promise<Array<ParsedItem<Row>>> {
	const connected: Array<ParsedItem<Row>> = [];
	for (const entry of entries) {
		const { item } = entry;
		const continues = item.host.context.continueOnFail();
		const connecting = entry.error === undefined ? run.connect(item) : undefined;
		const failure = await connecting?.then(noError, (error: Error) => {
			if (!continues) throw error;
			return error;
		});
		connected.push(failure === undefined ? entry : { item, error: failure });
	}
	return connected;
}

async function getPlan(
	parsed: Array<ParsedItem<Row>>,
	rows: Array<ParsedItem<Row>>,
	run: RunServices,
): Promise<Plan> {
	run.memory.plan ??= await createPlan(parsed, rows, run);
	return run.memory.plan as Plan;
}

/**
 * Compares the items with the contacts of the user.
 *
 * @throws NodeOperationError when the items contradict each other, or when too many contacts would be deleted
 * @throws NodeApiError when the list can't be fetched as a whole
 */
async function createPlan(
	parsed: Array<ParsedItem<Row>>,
	rows: Array<ParsedItem<Row>>,
	run: RunServices,
): Promise<Plan> {
	const { settings } = getRow(rows[0]);
	const sameRows = rows.map((row) => ({ item: row.item, settings: getRow(row).settings }));
	const call = await connectAll(sameRows, run, SETTING_LABELS);
	const itemsByAddress = new Map<string, number[]>();
	let unknownCount = 0;
	for (const { item } of parsed) {
		const key = readAddressKey(item);
		if (key === undefined) unknownCount += 1;
		else itemsByAddress.set(key, [...(itemsByAddress.get(key) ?? []), item.index]);
	}
	const continues = call.item.host.context.continueOnFail();
	const duplicates = [...itemsByAddress.values()].find((items) => items.length > 1);
	if (!continues && duplicates !== undefined) {
		const row = rows.find(({ item }) => duplicates.includes(item.index));
		throw createDuplicatesError(call, row?.input?.email ?? '', duplicates);
	}
	const userId = await call.getUserId();
	const entries = await fetchEntries(call.client, CONTACT_LIST, userId);
	const mayDelete = settings.deleteMissing && unknownCount === 0;
	const missing = mayDelete
		? entries.filter(({ id }) => !itemsByAddress.has(toAddressKey(id))).map(({ id }) => id)
		: [];
	assertFewDeletions(missing, entries.length, settings);
	const known = groupByAddress(entries);
	const differences = new Map<number, Difference>();
	for (const row of rows) {
		const { email, fields } = getRow(row);
		differences.set(row.item.index, compareContact(email, fields, known));
		await takeBreak();
	}
	const shared = { userId, settings, differences, itemsByAddress, unknownCount, missing };
	return { ...shared, written: new Set(), unseen: new Map() };
}

function getRow({ input, error }: ParsedItem<Row>): Row {
	if (input === undefined) throw error;
	return input;
}

function readAddressKey(item: Item): string | undefined {
	try {
		return toAddressKey(item.getPathParams().contactEmail);
	} catch {
		return undefined;
	}
}

/** Compares a row with the contact of the same spelling, or with the first in another one. */
function compareContact(email: string, fields: IDataObject, known: KnownContacts): Difference {
	const entries = known.get(toAddressKey(email)) ?? [];
	const current = entries.find(({ id }) => id === email) ?? entries.at(0);
	if (current === undefined) {
		return { action: 'created', address: email, changes: listDifferences({}, fields) };
	}
	const records = [current.record, ...current.duplicates];
	const changes = [...new Set(records.flatMap((record) => listDifferences(record, fields)))];
	const action = changes.length > 0 ? 'updated' : 'unchanged';
	return { action, address: current.id, changes };
}

async function syncRow(call: Call, row: ParsedItem<Row>, plan: Plan): Promise<IDataObject> {
	const { email, fields, settings } = getRow(row);
	const { userId, itemsByAddress, differences, written, unseen } = plan;
	const same = itemsByAddress.get(toAddressKey(email)) ?? [];
	if (same.length > 1) throw new UserError(...describeDuplicates(email, same));
	const difference = differences.get(row.item.index);
	if (difference === undefined) throw new UserError('The item is new in this try of the node');
	const { action, address, changes } = difference;
	if (action !== 'unchanged' && !settings.dryRun) {
		const changed = Object.entries(fields).filter(([name]) => changes.includes(name));
		const sent = Object.fromEntries(changed);
		const record = await writeContact(call, userId, address, sent, written);
		const shown = getContactEmail(record ?? {});
		if (shown === undefined) unseen.set(toAddressKey(address), sent);
		// A service may replace the whole contact: what was not sent must still be there.
		const isReplaced = listDifferences(record ?? {}, fields).some(
			(name) => !changes.includes(name),
		);
		if (shown !== undefined && isReplaced) await writeContact(call, userId, address, fields);
	}
	return { action, email: address, changes };
}

/** A service can ignore a contact, or save it under another address, such as one that would be deleted, and not say so. */
async function lookForWritten(
	first: ParsedItem<Row>,
	run: RunServices,
	{ userId, unseen }: Plan,
): Promise<void> {
	if (unseen.size === 0) return;
	const { client } = await run.connect(first.item);
	const entries = await fetchEntries(client, CONTACT_LIST, userId);
	for (const { id, record } of entries) {
		const sent = unseen.get(toAddressKey(id));
		if (sent && !findContradiction(record, id, sent)) unseen.delete(toAddressKey(id));
	}
}

/** The deletions, each with its own output; or why there are none. */
function listDeletions(
	first: ParsedItem<Row>,
	parsed: Array<ParsedItem<Row>>,
	run: RunServices,
	{ settings, userId, missing, unknownCount, written, unseen }: Plan,
	failures: number,
): Job[] {
	if (!settings.deleteMissing) return [];
	const shared = { pairedItem: linkToAll(parsed), item: first.item, isForAllItems: true };
	const createJob = (id: string, fields: IDataObject, send: Job['send']): Job => ({
		...shared,
		id,
		getErrorFields: () => fields,
		send,
	});
	const problem = findDeletionProblem(
		unknownCount,
		failures,
		missing.length > 0 ? [...unseen.keys()] : [],
	);
	if (problem !== undefined) {
		return [createJob('no deletions', {}, async () => await Promise.reject(problem))];
	}
	return missing.map((email) =>
		createJob(`delete ${email}`, { email }, async () => {
			// The service shows the address of a contact in another form than it was sent.
			if (written.has(toAddressKey(email))) return [];
			if (!settings.dryRun)
				await deleteMissingContact(await run.connect(first.item), userId, email);
			return [{ action: 'deleted', email, changes: [] }];
		}),
	);
}

/** Somebody else may have deleted it meanwhile. */
async function deleteMissingContact(call: Call, userId: string, email: string): Promise<void> {
	noteChange(call, userId, email);
	const deletion = deleteRecord(call.client, {
		path: getContactPath(userId, email),
		action: `delete the contact "${email}"`,
	});
	await deletion.catch((error: unknown) => {
		if (!isNotFound(error)) throw error;
	});
}
