import { UserError, type IDataObject } from 'n8n-workflow';

import { endpoints, toRequest } from '../../../shared/client/endpoints';
import { queryOption, simpleField } from '../../../shared/descriptions/options';
import { extendError, isNotFound } from '../../../shared/errors/errors';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { readQuery } from '../../../shared/parameters/requests';
import { isExpression, listSome } from '../../../shared/parameters/values';
import {
	contactEmailField,
	createDryRunFields,
	dryRunField,
} from '../../descriptions/commonFields';
import { assertAllItems, joinItems, linkToAll } from '../../execution/allItems';
import { parseDryRun, percentOption, refuseTooMany } from '../../execution/brakes';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import { createJob, type Job, type ParsedItem } from '../../execution/operation';
import { deleteRecord } from '../commonOperations';
import { parseContactFields, tableFields } from './contactFields';
import { fetchContacts, listChangedFields, writeContact } from './contactRecords';

const DELETE_MISSING = 'Delete Missing Contacts';

const emailField = {
	...contactEmailField,
	default: '={{ $json.email }}',
	description: 'Email address of each contact: an expression',
	hint: 'All input items together are the table',
};
const deleteMissingField = simpleField(
	[DELETE_MISSING, 'deleteMissing', false],
	'Whether to permanently delete contacts that no input item has',
	// A call of an agent has one item, never the whole table.
	{ displayOptions: { show: { '@tool': [false] } } },
);
const maxDeletionsOption = percentOption(
	['Max Deletions (%)', 'maxDeletions'],
	'The node fails, and changes nothing, if more than this percentage of the contacts would be deleted. Two can always be deleted.',
);

type ContactRow = ReturnType<typeof parseContactRow>;

/** Decided before the first change, and the same in each try of the node. */
type Plan = Awaited<ReturnType<typeof createPlan>>;

/** Makes the contacts of a user match all input items (docs/openapi.yaml, listContacts, upsertContact, deleteContact). */
export const syncContacts = defineOperation({
	name: 'Sync',
	value: 'sync',
	action: 'Sync contacts',
	description:
		'Make the contacts match all input items together: create, update and, if you want, delete',
	routing: { request: endpoints.upsertContact },
	alsoSends: [endpoints.listContacts, endpoints.deleteContact],
	pathFields: [emailField],
	fields: [
		...tableFields,
		deleteMissingField,
		...createDryRunFields('If off, the contacts change at once'),
	],
	options: [
		maxDeletionsOption,
		{
			...queryOption,
			description: 'For the contact list. Contacts that it leaves out are not deleted.',
		},
	],
	parse: parseContactRow,
	async *plan(entries, execution) {
		const rows = entries.flatMap(({ input }) => input ?? []);
		if (rows.length === 0) {
			yield entries.map((entry) => createJob(entry));
			return;
		}
		assertDistinct(rows);
		const item = await joinItems(rows);
		const { dryRun, deleteMissing } = rows[0].common;
		const userId = await item.getUserId();
		// It could delete what another one has just confirmed.
		const leave = dryRun ? undefined : await item.enter(`contacts of ${userId}`);
		try {
			const plan = await item.memoize('plan', async () => await createPlan(userId, rows, entries));
			yield entries.map((entry) =>
				createJob(entry, async (own, row: ContactRow) => [await syncRow(own, row, plan)]),
			);
			if (dryRun) execution.addHint('This was a dry run. No contact was changed.');
			if (execution.failedJobs === 0) yield createDeletions(item, entries, plan);
			else if (deleteMissing) {
				execution.addHint(
					'No contacts were deleted, because an input item failed: a contact that is missing from the input could be its own. Correct what failed, then run the workflow again.',
				);
			}
		} finally {
			leave?.();
		}
	},
});

function parseContactRow(item: Item) {
	const email = item.parsePathParam(emailField);
	const { userId } = item.pathParams;
	const common = {
		userId,
		deleteMissing: item.read(deleteMissingField),
		maxDeletions: item.read(maxDeletionsOption),
		query: readQuery(item),
		dryRun: parseDryRun(item),
	};
	if (common.deleteMissing) {
		assertAllItems(item, `"${DELETE_MISSING}"`, `, or turn off "${DELETE_MISSING}"`);
	}
	const fields = parseContactFields(item, email);
	return { item, email, key: toAddressKey(email), fields, common };
}

/** @throws UserError where two items are about one contact */
function assertDistinct(rows: ContactRow[]): void {
	const wanted = new Map(rows.map(({ key, item }) => [key, item]));
	for (const { item, key } of rows) {
		const { index: other } = wanted.get(key) ?? item;
		if (other === item.index) continue;
		const advice = isExpression(item.getRaw('email'))
			? 'Remove the duplicates from the input, for example with a Remove Duplicates node. Capitals make no difference in an address.'
			: 'Each item is a contact with its own address. In "Email", choose Expression and enter {{ $json.email }}, with the name of the field that has the address.';
		const message = `The items ${item.index} and ${other} have the same address, "${key}"`;
		const error = new UserError(message, { description: `Nothing was sent. ${advice}` });
		throw extendError(error, { itemIndex: other });
	}
}

/** Compares the rows with the contacts. Where an item failed, nothing is missing: it could be any of the contacts. */
async function createPlan(userId: string, rows: ContactRow[], entries: unknown[]) {
	const [{ item, common }] = rows;
	const { deleteMissing, maxDeletions, query, dryRun } = common;
	const known = await fetchContacts(item, userId, query);
	const wanted = new Set(rows.map(({ key }) => key));
	const isWhole = deleteMissing && rows.length === entries.length;
	const missing = isWhole ? [...known].filter(([key]) => !wanted.has(key)) : [];
	const emails = missing.map(([, { id }]) => id);
	refuseTooMany(item, {
		removed: emails,
		all: [...known],
		maxPercent: maxDeletions,
		message: `"${DELETE_MISSING}" would delete ${emails.length} of ${known.size} contacts, more than ${maxDeletions}%`,
		description: `Nothing was changed. It would delete ${listSome(emails)}. Check that the input is the whole table. To see all of them, turn on "${dryRunField.displayName}". To delete so many, raise "${maxDeletionsOption.displayName}" in the options.`,
	});
	return { userId, known, missing: emails, dryRun };
}

async function syncRow(item: Item, row: ContactRow, { userId, known, dryRun }: Plan) {
	const current = known.get(row.key);
	const email = current?.id ?? row.email;
	const changes = listChangedFields(current?.record ?? {}, row.fields);
	if (current !== undefined && changes.length === 0) {
		return createOutput({ action: 'unchanged', email, changes }, dryRun);
	}
	if (!dryRun) {
		const changed = changes.map((name) => [name, row.fields[name]]);
		await writeContact(item, userId, email, Object.fromEntries(changed) as IDataObject);
	}
	const action = current === undefined ? 'created' : 'updated';
	return createOutput({ action, email, changes }, dryRun);
}

function createDeletions(item: Item, entries: Array<ParsedItem<ContactRow>>, plan: Plan): Job[] {
	return plan.missing.map((email) => ({
		...createJob({ item }, async () => [await deleteMissingContact(item, email, plan)]),
		id: `delete ${email}`,
		pairedItem: linkToAll(entries),
		isForAllItems: true,
		getErrorFields: () => ({ contactEmail: email }),
	}));
}

async function deleteMissingContact({ client }: Item, email: string, { userId, dryRun }: Plan) {
	const { path } = toRequest(endpoints.deleteContact, { userId, email });
	const action = `delete the contact "${email}"`;
	const request = { path, action, subject: { contactEmail: email } };
	if (!dryRun) {
		await deleteRecord(client, request).catch((error: unknown) => {
			// Somebody else deleted it meanwhile.
			if (!isNotFound(error)) throw error;
		});
	}
	return createOutput({ action: 'deleted', email, changes: [] }, dryRun);
}

function createOutput<Output extends { action: string }>(output: Output, dryRun: boolean) {
	if (!dryRun) return output;
	return { ...output, dryRun, reason: `The contact would be ${output.action}.` };
}
