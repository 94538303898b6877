import { normalizeAddress } from '../containers/addresses.mts';
import { deleteContact, upsertContact } from '../database/queries.mts';
import { listRows } from '../database/lists.mts';
import type { ContactRow } from '../database/schema.mts';
import { invalid, notFound } from '../errors.mts';
import { forUser, type Handlers, type UserCall } from './call.mts';
import { listPage } from './listPage.mts';

type Fields = Record<string, unknown>;

/** The service sets these. A record that was read can be sent back with them. */
const OWN_FIELDS = ['email', 'created_date', 'updated_date'];
const MAX_FIELDS = 100;

export const contactHandlers: Handlers = {
	listContacts: forUser(async (call) => {
		const rows = await listPage(call, 'contacts', { user_id: call.owner.id });
		return rows.map(toRecord);
	}),
	getContact: forUser(async (call) => {
		const [row] = await listRows(call.vault.database, 'contacts', getKey(call), { limit: 1 });
		if (row === undefined) throw notFound('contact');
		return toRecord(row);
	}),
	upsertContact: forUser(async (call) => {
		const key = getKey(call);
		const { email } = call.request.params;
		const sent = call.request.body as Fields;
		if (key.address === '') throw invalid({ email: 'must be an email address' });
		if (normalizeAddress(String(sent.email ?? email)) !== key.address) {
			throw invalid({ email: 'must be the address in the path' });
		}
		const contact = { ...key, email: email.trim() };
		const { row, isNew } = await call.vault.database
			.transaction()
			.execute((queries) => upsertContact(queries, contact, (fields) => merge(fields, sent)));
		void call.reply.code(isNew ? 201 : 200);
		return toRecord(row);
	}),
	deleteContact: forUser(async (call) => {
		if (!(await deleteContact(call.vault.database, getKey(call)))) throw notFound('contact');
		void call.reply.code(204);
	}),
};

function getKey({ owner, request }: UserCall) {
	return { user_id: owner.id, address: normalizeAddress(request.params.email) ?? '' };
}

function merge(fields: Fields, sent: Fields): Fields {
	const entries = Object.entries({ ...fields, ...sent }).filter(
		([name, value]) => value !== null && !OWN_FIELDS.includes(name),
	);
	if (entries.length > MAX_FIELDS) throw invalid({ body: `has more than ${MAX_FIELDS} fields` });
	return Object.fromEntries(entries);
}

function toRecord({ email, fields, created_date, updated_date }: ContactRow) {
	const sent = JSON.parse(fields) as Fields;
	return { ...sent, email, created_date, updated_date };
}
