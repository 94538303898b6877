import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { CONTACT_LIST, fetchEntries } from '../../../shared/api/lists';
import { getContactEmail } from '../../../shared/api/records';
import { buildPath } from '../../../shared/client/path';
import { takeBreak } from '../../../shared/client/takeBreak';
import type { Session } from '../../../shared/client/session';
import { createInputError, isNotFound } from '../../../shared/errors/nodeErrors';
import { markAsStale } from '../../execution/knownList';
import type { FollowUp, Operation, OperationContext } from '../../execution/operation';
import type { RunContext } from '../../execution/runContext';
import { getInputItems, RunStoppedError } from '../../execution/runContext';
import { MAX_RECORDS } from '../commonOperations';
import { getContactFields } from './contactFields';
import type { KnownContacts } from './knownContacts';
import { groupByAddress, listDifferences } from './knownContacts';
import type { SyncSettings } from './syncSettings';
import { findDifferentSetting, getSyncSettings, SETTINGS } from './syncSettings';

/** What a row changes. */
interface Difference {
	action: 'created' | 'updated' | 'unchanged';
	/** As the service spells it. */
	address: string;
	changes: string[];
}

/** An input item: the contact that is wanted. */
interface Row {
	itemIndex: number;
	email: string;
	/** The items with the same address, this one among them. */
	sameAddress: number[];
	fields: IDataObject;
	settings: SyncSettings;
	/** What the item is sent with, once it can be sent. */
	session?: Session;
	/** Set when all rows are known. */
	difference?: Difference;
	result?: Promise<IDataObject>;
}

/** What to do, known before the first change. */
interface Plan {
	userId: string;
	known: KnownContacts;
	missing: string[];
	/** The row that deletes the missing contacts. */
	last: Row;
}

/** The input items of one execution. */
class Table {
	readonly rows: Row[] = [];

	/** The items of each address in lower case, invalid ones too: their contacts are not missing. */
	readonly itemsByAddress = new Map<string, number[]>();

	plan?: Promise<Plan>;

	private addressCount = 0;

	/** @returns the items with the same address, to which later ones are added */
	addAddress(email: string, itemIndex: number): number[] {
		const key = email.toLowerCase();
		const items = this.itemsByAddress.get(key) ?? [];
		items.push(itemIndex);
		this.itemsByAddress.set(key, items);
		this.addressCount += 1;
		return items;
	}

	/** How many input items have no address that is known: each contact could be one of theirs. */
	countUnknown({ item: { context } }: OperationContext): number {
		return getInputItems(context).length - this.addressCount;
	}
}

const tables = new WeakMap<RunContext, Table>();

/** Makes the contacts of a user match all input items (docs/openapi.yaml, listContacts, upsertContact, deleteContact). */
export const sync: Operation<Row> = {
	isForAllItems: true,
	prepare(item, run) {
		const getEntered = item.getErrorFields;
		item.getErrorFields = () => ({ email: getEntered().contactEmail });
		const table = getTable(run);
		const { contactEmail: email } = item.getPathParams();
		const row: Row = {
			itemIndex: item.itemIndex,
			email,
			sameAddress: table.addAddress(email, item.itemIndex),
			fields: getContactFields(item.context, email),
			settings: getSyncSettings(item),
		};
		table.rows.push(row);
		return row;
	},
	async send(operation, row) {
		const table = getTable(operation.run);
		row.session = operation.session;
		table.plan ??= makePlan(operation, table);
		const plan = await table.plan;
		row.result = syncRow(operation, row, plan);
		if (row === plan.last) operation.followUps.push(...listDeletions(operation, table, plan));
		const result = await row.result;
		// What an earlier try changed is not unchanged.
		const [earlier] = operation.item.state.output ?? [];
		return [result.action === 'unchanged' && earlier !== undefined ? earlier.json : result];
	},
};

function getTable(run: RunContext): Table {
	const table = tables.get(run) ?? new Table();
	tables.set(run, table);
	return table;
}

/**
 * Compares the table with the contacts of the user.
 *
 * @throws NodeOperationError when the items contradict each other, or when too many contacts would be deleted
 * @throws NodeApiError when the list can't be fetched as a whole
 */
async function makePlan(operation: OperationContext, table: Table): Promise<Plan> {
	const { run, client, item } = operation;
	await run.waitForAllItems();
	await run.waitForConnections();
	const rows = table.rows.filter(({ session }) => session !== undefined);
	const { settings } = rows[0];
	assertConsistent(operation, rows);
	if (!item.context.continueOnFail()) assertDistinct(operation, table);
	const userId = await operation.getUserId();
	const entries = await fetchEntries(client, CONTACT_LIST, userId);
	const mayDelete = settings.deleteMissing && table.countUnknown(operation) === 0;
	const missing = mayDelete
		? entries.filter(({ id }) => !table.itemsByAddress.has(id.toLowerCase())).map(({ id }) => id)
		: [];
	assertFewDeletions(missing.length, entries.length, settings);
	const known = groupByAddress(entries);
	for (const row of rows) {
		row.difference = compareContact(row.email, row.fields, known);
		await takeBreak();
	}
	return { userId, known, missing, last: rows[rows.length - 1] };
}

/** Compares a row with the contact in the same capitals, or with the first in others. */
function compareContact(email: string, fields: IDataObject, known: KnownContacts): Difference {
	const entries = known.get(email.toLowerCase()) ?? [];
	const current = entries.find(({ id }) => id === email) ?? entries[0];
	if (current === undefined) {
		return { action: 'created', address: email, changes: listDifferences({}, fields) };
	}
	const records = [current.record, ...current.duplicates];
	const changes = [...new Set(records.flatMap((record) => listDifferences(record, fields)))];
	const action = changes.length > 0 ? 'updated' : 'unchanged';
	return { action, address: current.id, changes };
}

async function syncRow(
	operation: OperationContext,
	{ email, sameAddress, fields, settings, difference }: Row,
	{ userId, known }: Plan,
): Promise<IDataObject> {
	if (sameAddress.length > 1) throw new UserError(...describeDuplicates(email, sameAddress));
	const { action, address, changes } = difference ?? compareContact(email, fields, known);
	if (action !== 'unchanged' && !settings.dryRun) {
		markAsStale(await operation.getListKey('contacts'), email.toLowerCase());
		const send = async (json: IDataObject) =>
			await operation.client.requestOptionalObject({
				method: 'PATCH',
				path: getContactPath(userId, address),
				action: 'create or update the contact',
				json,
				subject: { contactEmail: address },
			});
		const isSent = ([name]: [string, unknown]) => changes.includes(name);
		const record = await send(Object.fromEntries(Object.entries(fields).filter(isSent)));
		// A service may replace the whole contact: what was not sent must still be there.
		const isContact = getContactEmail(record ?? {})?.toLowerCase() === address.toLowerCase();
		const isReplaced = listDifferences(record ?? {}, fields).some(
			(name) => !changes.includes(name),
		);
		if (isContact && isReplaced) await send(fields);
	}
	return { action, email: address, changes };
}

/** The deletions, each with its own output; or why there are none. */
function listDeletions(operation: OperationContext, table: Table, plan: Plan): FollowUp[] {
	const { deleteMissing, dryRun } = plan.last.settings;
	const unknown = table.countUnknown(operation);
	if (deleteMissing && unknown > 0) {
		return [{ errorFields: {}, send: async () => await Promise.reject(noDeletionsError(unknown)) }];
	}
	const others = Promise.allSettled(table.rows.map(async ({ result }) => await result));
	return plan.missing.map((email) => ({
		errorFields: { email },
		async send() {
			if (!dryRun) {
				// A contact is deleted when all others are as they should be.
				await others;
				if (operation.run.isStopped) throw new RunStoppedError();
				markAsStale(await operation.getListKey('contacts'), email.toLowerCase());
				await deleteMissingContact(operation, plan.userId, email);
			}
			return { action: 'deleted', email, changes: [] };
		},
	}));
}

/** Somebody else may have deleted it meanwhile. */
async function deleteMissingContact(
	{ client }: OperationContext,
	userId: string,
	email: string,
): Promise<void> {
	const request = client.requestOptionalObject({
		method: 'DELETE',
		path: getContactPath(userId, email),
		action: `delete the contact "${email}"`,
		mayBeMissing: true,
	});
	await request.catch((error: unknown) => {
		if (!isNotFound(error)) throw error;
	});
}

function getContactPath(userId: string, email: string): string {
	return buildPath(['users', userId, 'contacts', email]);
}

/** One table belongs to one user, whose contacts are compared with it. */
function assertConsistent({ item: { context } }: OperationContext, rows: Row[]): void {
	const [first] = rows;
	for (const { itemIndex, session, settings } of rows) {
		const label =
			session === first.session
				? findDifferentSetting(first.settings, settings)
				: 'Credential to connect with';
		if (label !== undefined) {
			throw createInputError(context.getNode(), {
				message: `"${label}" of item ${itemIndex} differs from that of item ${first.itemIndex}`,
				description: `Nothing was changed. Sync compares all input items with the contacts of one user. Use the same value for all items, or split them into one execution for each value.`,
				itemIndex,
			});
		}
	}
	const { displayName } = SETTINGS.deleteMissing;
	if (!first.settings.deleteMissing || !context.getNode().executeOnce) return;
	throw new UserError(`"${displayName}" needs all input items, but "Execute Once" is on`, {
		description: `Turn off "Execute Once" in the node's settings, or turn off "${displayName}".`,
	});
}

function assertDistinct({ item: { context } }: OperationContext, table: Table): void {
	for (const { email, sameAddress } of table.rows) {
		if (sameAddress.length > 1) {
			const [message, details] = describeDuplicates(email, sameAddress);
			throw createInputError(context.getNode(), { message, ...details, itemIndex: sameAddress[1] });
		}
	}
}

function describeDuplicates(email: string, items: number[]): [string, { description: string }] {
	const listed = `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;
	return [
		`The items ${listed} have the same address, "${email}"`,
		{
			description:
				'Nothing was sent for them. Remove the duplicates from the input, for example with a Remove Duplicates node. Capitals make no difference in an address.',
		},
	];
}

function assertFewDeletions(count: number, total: number, settings: SyncSettings): void {
	const { deleteMissing, maxDeletions, dryRun } = SETTINGS;
	if (count > MAX_RECORDS) {
		throw new UserError(`n8n can handle at most ${MAX_RECORDS} deletions in one execution`, {
			description: `The input lacks ${count} contacts. Nothing was changed. Check that the input is the whole table.`,
		});
	}
	if (settings.dryRun || count * 100 <= settings.maxDeletions * total) return;
	throw new UserError(
		`"${deleteMissing.displayName}" would delete ${count} of ${total} contacts, more than ${settings.maxDeletions}%`,
		{
			description: `Nothing was changed. Check that the input is the whole table. To see what would be deleted, turn on "${dryRun.displayName}". To delete so many, raise "${maxDeletions.displayName}" in the options.`,
		},
	);
}

function noDeletionsError(unknown: number): UserError {
	return new UserError(
		`No contacts were deleted, because ${unknown === 1 ? 'an input item has' : `${unknown} input items have`} no valid email address`,
		{
			description: `Any of the contacts could be ${unknown === 1 ? 'its own' : 'theirs'}. Correct the address, then run the workflow again.`,
		},
	);
}
