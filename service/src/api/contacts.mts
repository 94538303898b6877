import type { FastifyRequest } from 'fastify';
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
import type { HandlerOptions, Handlers } from './handlers.mts';
import { sendPage, toPageRequest, type ListQuery } from './lists.mts';

type Fields = Record<string, unknown>;

/** The service sets these. A record that was read can be sent back with them. */
const OWN_FIELDS = ['email', 'created_date', 'updated_date'];
const MAX_FIELDS = 100;

export function createContactHandlers({ vault, publicUrl }: HandlerOptions): Handlers {
	const { database } = vault;
	/** What is no address has no contact. */
	const findKey = async (request: FastifyRequest) => {
		const { id: user_id } = await requireUser(database, request);
		return { user_id, address: normalizeAddress(getEmail(request)) ?? '' };
	};
	return {
		async listContacts(request, reply) {
			const { id: userId } = await requireUser(database, request);
			const query = request.query as ListQuery & { email?: string };
			const filter = { userId, email: query.email };
			const rows = await listContacts(database, filter, toPageRequest(query));
			return sendPage({ request, reply, publicUrl }, rows, toRecord);
		},
		async getContact(request) {
			const row = await findContact(database, await findKey(request));
			if (row === undefined) throw notFound('contact');
			return toRecord(row);
		},
		async upsertContact(request, reply) {
			const key = await findKey(request);
			const sent = request.body as Fields;
			const { email: sentEmail = key.address } = sent;
			if (key.address === '') throw invalid({ email: 'must be an email address' });
			if (normalizeAddress(String(sentEmail)) !== key.address) {
				throw invalid({ email: 'must be the address in the path' });
			}
			const contact = { ...key, email: getEmail(request).trim() };
			const { row, isNew } = await database
				.transaction()
				.execute((queries) => upsertContact(queries, contact, (fields) => merge(fields, sent)));
			return reply.code(isNew ? 201 : 200).send(toRecord(row));
		},
		async deleteContact(request, reply) {
			if (!(await deleteContact(database, await findKey(request)))) throw notFound('contact');
			return reply.code(204).send();
		},
	};
}

const getEmail = ({ params }: FastifyRequest) => (params as { email: string }).email;

/** @throws ServiceError 422 where a contact would have too many fields */
function merge(fields: Fields, sent: Fields): Fields {
	const entries = Object.entries({ ...fields, ...sent }).filter(
		([name, value]) => value !== null && !OWN_FIELDS.includes(name),
	);
	if (entries.length > MAX_FIELDS) throw invalid({ body: `has more than ${MAX_FIELDS} fields` });
	return Object.fromEntries(entries);
}

function toRecord({ email, fields, created_date, updated_date }: ContactRow) {
	return { ...(JSON.parse(fields) as Fields), email, created_date, updated_date };
}
