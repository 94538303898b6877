import { normalizeAddress } from '../containers/addresses.mts';
import {
	deleteContact,
	findContact,
	listContacts,
	upsertContact,
} from '../database/contactRows.mts';
import type { ContactRow } from '../database/schema.mts';
import { invalid, notFound } from '../errors.mts';
import { requireUser } from './access.mts';
import { toPage, toPageRequest, type ListQuery } from './lists.mts';
import type { HandlerOptions, Handlers } from './handlers.mts';

interface ContactPath {
	user_id: string;
	email: string;
}

type Fields = Record<string, unknown>;

/** The service sets these; a record that was read can be sent back with them. */
const OWN_FIELDS = ['email', 'created_date', 'updated_date'];

const MAX_FIELDS = 100;

export function createContactHandlers({
	vault: { database },
	publicUrl,
}: HandlerOptions): Handlers {
	return {
		async listContacts(request, reply) {
			const { id } = await requireUser(
				database,
				request.user,
				(request.params as ContactPath).user_id,
			);
			const query = request.query as ListQuery & { email?: string };
			const rows = await listContacts(database, id, query.email, toPageRequest(query));
			return toPage({ request, reply, publicUrl }, rows).map(toRecord);
		},
		async getContact({ user, params }) {
			const { user_id, email } = params as ContactPath;
			const { id } = await requireUser(database, user, user_id);
			const row = await findContact(database, id, normalizeAddress(email) ?? '');
			if (row === undefined) throw notFound('contact');
			return toRecord(row);
		},
		async upsertContact({ user, params, body }, reply) {
			const { user_id, email } = params as ContactPath;
			const { id } = await requireUser(database, user, user_id);
			const address = normalizeAddress(email);
			if (address === undefined) throw invalid({ email: 'must be an email address' });
			const sent = body as Fields;
			if (sent.email !== undefined && normalizeAddress(String(sent.email)) !== address) {
				throw invalid({ email: 'must be the address in the path' });
			}
			const { row, isNew } = await database
				.transaction()
				.execute(
					async (transaction) =>
						await upsertContact(
							transaction,
							{ userId: id, address, email: email.trim() },
							(fields) => mergeFields(fields, sent),
						),
				);
			return reply.code(isNew ? 201 : 200).send(toRecord(row));
		},
		async deleteContact({ user, params }, reply) {
			const { user_id, email } = params as ContactPath;
			const { id } = await requireUser(database, user, user_id);
			if (!(await deleteContact(database, id, normalizeAddress(email) ?? '')))
				throw notFound('contact');
			return reply.code(204).send();
		},
	};
}

/** @throws ServiceError 422 where a contact would have too many fields */
function mergeFields(fields: Fields, sent: Fields): Fields {
	const entries = Object.entries({ ...fields, ...sent }).filter(
		([name, value]) => value !== null && !OWN_FIELDS.includes(name),
	);
	if (entries.length > MAX_FIELDS) throw invalid({ body: `has more than ${MAX_FIELDS} fields` });
	return Object.fromEntries(entries);
}

function toRecord({ email, fields, created_date, updated_date }: ContactRow) {
	return { ...(JSON.parse(fields) as Fields), email, created_date, updated_date };
}
