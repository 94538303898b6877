import { UserError, type INodeProperties } from 'n8n-workflow';

import { buildPath } from '../../../shared/client/path';
import { numberOption, queryOption } from '../../../shared/descriptions/options';
import { isNotFound } from '../../../shared/errors/serviceError';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { parseQuery } from '../../../shared/parameters/requestSettings';
import { parseBoolean, parseInteger } from '../../../shared/parameters/scalars';
import { isExpression, listSome } from '../../../shared/parameters/values';
import { createDryRunFields, dryRunField, simpleField } from '../../descriptions/commonFields';
import { contactEmailField } from '../../descriptions/locators';
import {
	assertAllItems,
	joinItems,
	linkToAll,
	parseDryRun,
	refuse,
	toErrorOfAll,
} from '../../execution/allItems';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import { createJob, type Job, type ParsedItem } from '../../execution/operation';
import { deleteRecord } from '../commonOperations';
import { parseContactFields, tableFields } from './contactFields';
import { fetchContacts, listDifferences, writeContact } from './contacts';

const DELETE_MISSING = 'Delete Missing Contacts';
const DRY_RUN = dryRunField.displayName;

/** An expression, because each item is a contact. */
const emailField: INodeProperties = {
	...contactEmailField,
	default: '={{ $json.email }}',
	description: 'Email address of each contact: an expression',
};

/** So many deletions are no sign of an incomplete table. */
const MIN_DELETIONS = 2;

const maxDeletionsOption = numberOption(
	['Max Deletions (%)', 'maxDeletions', 20],
	{ minValue: 0, maxValue: 100 },
	'The node fails, and changes nothing, if it would delete more of the contacts. Two are always allowed.',
);
const { displayName: MAX_DELETIONS } = maxDeletionsOption;

const NO_DELETIONS =
	'No contacts were deleted, because an input item failed: a contact that is missing from the input could be its own. Correct what failed, then run the workflow again.';

type Row = ReturnType<typeof parseRow>;

/** What to do: decided before the first change, and the same in each try of the node. */
type Plan = Awaited<ReturnType<typeof createPlan>>;

/** Makes the contacts of a user match all input items (docs/openapi.yaml, listContacts, upsertContact, deleteContact). */
export const syncContacts = defineOperation({
	name: 'Sync',
	value: 'sync',
	action: 'Sync contacts',
	description:
		'Make the contacts match all input items together: create, update and, if you want, delete',
	endpoint: { method: 'PATCH', path: '/users/{userId}/contacts/{email}' },
	fields: [
		emailField,
		...tableFields,
		simpleField(
			[DELETE_MISSING, 'deleteMissing', false],
			'Whether to permanently delete contacts that no input item has',
			// A call of an agent has one item, never the whole table.
			{ displayOptions: { show: { '@tool': [false] } } },
		),
		...createDryRunFields('All input items together are the table'),
	],
	options: [
		maxDeletionsOption,
		{
			...queryOption,
			description: 'For the contact list. Contacts that it leaves out are not deleted.',
		},
	],
	parse: parseRow,
	async *plan(entries, run) {
		const rows = entries.flatMap(({ input }) => input ?? []);
		if (rows.length === 0) return yield entries.map((entry) => createJob(entry));
		assertDistinct(rows);
		const item = await joinItems(rows);
		const { dryRun } = rows[0].settings;
		const userId = await item.getUserId();
		// It could delete what another one has just confirmed.
		const leave = dryRun ? undefined : await item.enter(`contacts of ${userId}`);
		try {
			const isWhole = rows.length === entries.length;
			const create = async () => await createPlan(item, userId, rows, isWhole);
			const plan = await item.memoize('plan', create);
			yield entries.map((entry) =>
				createJob(entry, async (own) => [await syncRow(own, entry.input as Row, plan)]),
			);
			if (dryRun) run.addHint('This was a dry run. No contact was changed.');
			// A contact that is missing from the input could be that of an item that failed.
			if (run.failed === 0) yield createDeletions(item, entries, plan);
			else if (rows[0].settings.deleteMissing) run.addHint(NO_DELETIONS);
		} finally {
			leave?.();
		}
	},
});

function parseRow(item: Item) {
	const { contactEmail: email, userId } = item.getPathParams();
	const settings = {
		userId,
		deleteMissing: parseBoolean(item.getParameter('deleteMissing', false), DELETE_MISSING),
		maxDeletions: item.parseOption(maxDeletionsOption, (value, label) =>
			parseInteger(value, label, 0, 100),
		),
		query: parseQuery(item.getOptions()),
		dryRun: parseDryRun(item),
	};
	if (settings.deleteMissing) {
		assertAllItems(item, `"${DELETE_MISSING}"`, `, or turn off "${DELETE_MISSING}"`);
	}
	const fields = parseContactFields(item, email);
	return { item, email, key: toAddressKey(email), fields, settings };
}

/** @throws UserError where two items are about one contact */
function assertDistinct(rows: Row[]): void {
	const wanted = new Map(rows.map(({ key, item }) => [key, item]));
	for (const { item, key } of rows) {
		const { index: other } = wanted.get(key) ?? item;
		if (other === item.index) continue;
		const isFixed = !isExpression(item.getRawParameter('email'));
		const advice = isFixed
			? 'Each item is a contact with its own address. In "Email", choose Expression and enter {{ $json.email }}, with the name of the field that has the address.'
			: 'Remove the duplicates from the input, for example with a Remove Duplicates node. Capitals make no difference in an address.';
		const message = `The items ${item.index} and ${other} have the same address, "${key}"`;
		const error = new UserError(message, { description: `Nothing was sent. ${advice}` });
		throw toErrorOfAll(error, { index: other });
	}
}

/** Compares the items with the contacts of the user. `isWhole`: no item failed, which could be any of the contacts. */
async function createPlan(item: Item, userId: string, rows: Row[], isWhole: boolean) {
	const { deleteMissing, maxDeletions, query, dryRun } = rows[0].settings;
	const known = await fetchContacts(item, userId, query);
	const wanted = new Set(rows.map(({ key }) => key));
	const missing = [...known]
		.filter(([key]) => deleteMissing && isWhole && !wanted.has(key))
		.map(([, { id }]) => id);
	const isTooMuch = missing.length * 100 > maxDeletions * known.size;
	if (isTooMuch && missing.length > MIN_DELETIONS) {
		const message = `"${DELETE_MISSING}" would delete ${missing.length} of ${known.size} contacts, more than ${maxDeletions}%`;
		const description = `Nothing was changed. It would delete ${listSome(missing)}. Check that the input is the whole table. To see all of them, turn on "${DRY_RUN}". To delete so many, raise "${MAX_DELETIONS}" in the options.`;
		refuse(item.run, dryRun, message, description);
	}
	return { userId, known, missing, dryRun };
}

/** Writes a row where it differs from the contact. */
async function syncRow(item: Item, { email, key, fields }: Row, { userId, known, dryRun }: Plan) {
	const current = known.get(key);
	const changes = listDifferences(current?.record ?? {}, fields);
	const address = current?.id ?? email;
	const action = current === undefined ? 'created' : changes.length > 0 ? 'updated' : 'unchanged';
	if (dryRun) return { action, email: address, changes, ...describeDryRun(action) };
	if (action !== 'unchanged') {
		const changed = Object.fromEntries(changes.map((name) => [name, fields[name]]));
		await writeContact(item, userId, address, changed);
	}
	return { action, email: address, changes };
}

/** One job for each contact to delete. */
function createDeletions(item: Item, entries: Array<ParsedItem<Row>>, plan: Plan): Job[] {
	return plan.missing.map((email) => ({
		...createJob({ item }, async (own) => [await deleteContact(own, email, plan)]),
		id: `delete ${email}`,
		pairedItem: linkToAll(entries),
		isForAllItems: true,
		getErrorFields: () => ({ contactEmail: email }),
	}));
}

async function deleteContact({ client }: Item, email: string, { userId, dryRun }: Plan) {
	const deletion = { action: 'deleted', email, changes: [] };
	if (dryRun) return { ...deletion, ...describeDryRun('deleted') };
	const path = buildPath(['users', userId, 'contacts', email]);
	const action = `delete the contact "${email}"`;
	const request = { path, action, subject: { contactEmail: email } };
	await deleteRecord(client, request).catch((error: unknown) => {
		// Somebody else deleted it meanwhile.
		if (!isNotFound(error)) throw error;
	});
	return deletion;
}

function describeDryRun(action: string) {
	return { dryRun: true, reason: `The contact would be ${action}.` };
}
