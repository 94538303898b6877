import { UserError, type IDataObject } from 'n8n-workflow';

import { fetchContacts } from '../../../shared/api/lists';
import { getContactEmail, unwrapContact } from '../../../shared/api/records';
import { buildPath } from '../../../shared/client/path';
import { numberOption } from '../../../shared/descriptions/options';
import { createInputError, isNotFound } from '../../../shared/errors/nodeErrors';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { parseBoolean, parseInteger } from '../../../shared/parameters/scalars';
import { listSome } from '../../../shared/parameters/values';
import { dryRunField, dryRunFields, simpleField } from '../../descriptions/commonFields';
import {
	assertAllItems,
	connectAll,
	linkToAll,
	parseDryRun,
	refuse,
} from '../../execution/allItems';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import type { Call, Job } from '../../execution/operation';
import { deleteRecord } from '../commonOperations';
import { findWrongField, groupByAddress, isSameValue, listDifferences } from './compareContacts';
import { parseContactFields, tableFields } from './contactFields';
import { writeContact } from './writeContact';

const DELETE_MISSING = 'Delete Missing Contacts';
const DRY_RUN = dryRunField.displayName;

const maxDeletionsOption = numberOption(
	['Max Deletions (%)', 'maxDeletions', 10],
	{ minValue: 0, maxValue: 100 },
	'If more than this percentage of the contacts would be deleted, the node changes nothing and fails',
);
const { displayName: MAX_DELETIONS } = maxDeletionsOption;

type Row = ReturnType<typeof parseRow>;

/** What to do: decided before the first change, and the same in each try of the node. */
type Plan = Awaited<ReturnType<typeof createPlan>>;

/** Makes the contacts of a user match all input items (docs/openapi.yaml, listContacts, upsertContact, deleteContact). */
export const syncContacts = defineOperation({
	name: 'Sync',
	value: 'sync',
	action: 'Sync contacts',
	description:
		'Make the contacts match all input items together: create and update those that differ, and delete the others if you want',
	endpoint: { method: 'PATCH', path: '/users/{userId}/contacts/{email}' },
	fields: [
		...tableFields,
		simpleField(
			[DELETE_MISSING, 'deleteMissing', false],
			"Whether to permanently delete the user's contacts that no input item has. The input must be the whole table.",
			// A call of an agent has one item, never the whole table.
			{ displayOptions: { show: { '@tool': [false] } } },
		),
		...dryRunFields,
	],
	options: [maxDeletionsOption],
	parse: parseRow,
	async *plan(entries, run) {
		const rows = entries.flatMap(({ input }) => input ?? []);
		if (rows.length === 0) return yield entries.map((entry) => run.createJob(entry));
		assertDistinct(rows);
		const call = await connectAll(rows, run);
		const { deleteMissing, dryRun } = rows[0].settings;
		const userId = await call.getUserId();
		// It could delete what another one has just confirmed.
		const leave = dryRun ? undefined : await call.enter(`contacts of ${userId}`);
		try {
			const isWhole = rows.length === entries.length;
			const create = async () => await createPlan(call, userId, rows, isWhole);
			const plan = await run.tries.memoize('plan', create);
			yield entries.map((entry) =>
				run.createJob(entry, async (own) => [await syncRow(own, entry.input as Row, plan)]),
			);
			const { failed } = run;
			if (dryRun) run.addHint('This was a dry run. No contact was changed.');
			const names = call.client.redactLine(listSome([...plan.unsettled]));
			const hint = `Contacts might look changed in each run because of these fields, which the list lacks, or the service shows in another form: ${names}. If so, enter them as Get Many shows them, or don't send them.`;
			if (names !== '') run.addHint(hint);
			if (!deleteMissing) return;
			const shared = { pairedItem: linkToAll(entries), item: call.item, isForAllItems: true };
			const unseen = failed === 0 ? await listUnseen(call, plan) : [];
			if (failed > 0 || unseen.length > 0) {
				const send = async () => await Promise.reject(explainNoDeletions(failed, unseen));
				yield [{ ...shared, id: 'no deletions', getErrorFields: () => ({}), send }];
				return;
			}
			yield plan.missing.map((address): Job => {
				const email = call.client.redactText(address);
				return {
					...shared,
					id: `delete ${address}`,
					getErrorFields: () => ({ email }),
					async send() {
						const path = buildPath(['users', userId, 'contacts', address]);
						const subject = { contactEmail: address };
						const request = { path, action: `delete the contact "${address}"`, subject };
						const deletion = dryRun ? Promise.resolve() : deleteRecord(call.client, request);
						await deletion.catch((error: unknown) => {
							// Somebody else deleted it meanwhile.
							if (!isNotFound(error)) throw error;
						});
						return [{ action: 'deleted', email, changes: [] }];
					},
				};
			});
		} finally {
			leave?.();
		}
	},
});

function parseRow(item: Item) {
	const getEntered = item.getErrorFields.bind(item);
	item.getErrorFields = () => ({ email: getEntered().contactEmail });
	const { contactEmail: email, userId } = item.getPathParams();
	const settings = {
		userId,
		deleteMissing: parseBoolean(item.getParameter('deleteMissing', false), DELETE_MISSING),
		maxDeletions: item.parseOption(maxDeletionsOption, (value, label) =>
			parseInteger(value, label, 0, 100),
		),
		dryRun: parseDryRun(item),
	};
	if (settings.deleteMissing) {
		assertAllItems(item, `"${DELETE_MISSING}"`, `, or turn off "${DELETE_MISSING}"`);
	}
	const fields = parseContactFields(item, email);
	return { item, email, key: toAddressKey(email), fields, settings };
}

/** @throws NodeOperationError where two items are about one contact */
function assertDistinct(rows: Row[]): void {
	const wanted = new Map(rows.map(({ key, item }) => [key, item]));
	for (const { item, key } of rows) {
		const { index: other } = wanted.get(key) ?? item;
		if (other === item.index) continue;
		throw createInputError(item.host.node, {
			message: `The items ${item.index} and ${other} have the same address, "${key}"`,
			description:
				'Nothing was sent. Remove the duplicates from the input, for example with a Remove Duplicates node. Capitals make no difference in an address.',
			itemIndex: other,
		});
	}
}

/** Compares the items with the contacts of the user. `isWhole`: no item failed, which could be any of the contacts. */
async function createPlan(call: Call, userId: string, rows: Row[], isWhole: boolean) {
	const { deleteMissing, maxDeletions, dryRun } = rows[0].settings;
	const wanted = new Set(rows.map(({ key }) => key));
	const entries = await fetchContacts(call.client, userId, { needs: 'id' });
	const known = groupByAddress(entries);
	const listed = new Set(entries.flatMap(({ record }) => Object.keys(unwrapContact(record))));
	const missing = [...known]
		.filter(([key]) => deleteMissing && isWhole && !wanted.has(key))
		.flatMap(([, same]) => same.map(({ id }) => id));
	if (missing.length * 100 > maxDeletions * entries.length) {
		const message = `"${DELETE_MISSING}" would delete ${missing.length} of ${entries.length} contacts, more than ${maxDeletions}%`;
		const description = `Nothing was changed. It would delete ${listSome(missing)}. Check that the input is the whole table. To see all of them, turn on "${DRY_RUN}". To delete so many, raise "${MAX_DELETIONS}" in the options.`;
		refuse(call.run, dryRun, message, description);
	}
	/** What was sent for those that no response shows, by `toAddressKey`. */
	const unseen = new Map<string, IDataObject>();
	/** Fields that can't be seen to be as they were sent. */
	const unsettled = new Set<string>();
	return { userId, known, listed, missing, unseen, unsettled };
}

/** Compares a row with the contact of the same spelling, or with the first in another one, and writes it if it differs. */
async function syncRow(call: Call, row: Row, plan: Plan) {
	const { email, key, fields, settings } = row;
	const { userId, known, listed, unseen, unsettled } = plan;
	const entries = known.get(key) ?? [];
	const current = entries.find(({ id }) => id === email) ?? entries.at(0);
	const changes = listDifferences(current?.record ?? {}, fields);
	// As the service spells it.
	const address = current?.id ?? email;
	if (current !== undefined && changes.length === 0) {
		return { action: 'unchanged', email: address, changes };
	}
	let shown: IDataObject = {};
	if (!settings.dryRun) {
		// All of it, as a service may replace the whole contact, but no cell that is empty on both sides.
		const isFilled = ([name, value]: [string, unknown]) =>
			changes.includes(name) || !isSameValue(value, null);
		const filled = Object.fromEntries(Object.entries(fields).filter(isFilled));
		const record = await writeContact(call, userId, address, filled);
		if (getContactEmail(record ?? {}) === undefined) unseen.set(key, filled);
		shown = unwrapContact(record ?? {});
	}
	for (const name of changes) {
		const isOther = Object.hasOwn(shown, name) && !isSameValue(shown[name], fields[name]);
		if (isOther || (current !== undefined && !listed.has(name))) unsettled.add(name);
	}
	return { action: current === undefined ? 'created' : 'updated', email: address, changes };
}

/** A service can ignore a contact, or save it under another address, such as one that would be deleted, and not say so. */
async function listUnseen(call: Call, { userId, missing, unseen }: Plan): Promise<string[]> {
	if (missing.length === 0 || unseen.size === 0) return [];
	const shown = await fetchContacts(call.client, userId, { needs: 'id' });
	for (const { id, record } of shown) {
		const sent = unseen.get(toAddressKey(id));
		if (sent && findWrongField(record, sent) === undefined) unseen.delete(toAddressKey(id));
	}
	return [...unseen.keys()];
}

function explainNoDeletions(failed: number, unseen: string[]): UserError {
	const items = failed === 1 ? 'an input item' : `${failed} input items`;
	const hidden = `the service does not show what was sent for ${listSome(unseen)}`;
	const reason = failed > 0 ? `${items} failed` : hidden;
	return new UserError(`No contacts were deleted, because ${reason}`, {
		description:
			'A contact that is missing from the input could be one of theirs, under another address. Correct what failed, compare the input with what Contact > Get Many returns, then run the workflow again.',
	});
}
