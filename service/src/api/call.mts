import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EncodeOptions } from '../containers/encode.mts';
import type { Vault } from '../containers/vault.mts';
import { listRows, type ListName, type ListQuery, type ListRow } from '../database/lists.mts';
import type { ContainerRow, UserRow } from '../database/schema.mts';

declare module 'fastify' {
	interface FastifyRequest {
		user: UserRow & { key_id: string };
	}
}

export interface Call extends EncodeOptions {
	vault: Vault;
	/** Writes days in the time zone of the service. */
	calendar: Intl.DateTimeFormat;
	request: FastifyRequest<{ Params: Record<string, string>; Querystring: ListQuery }>;
	reply: FastifyReply;
	/** What the path names, and the API key reaches: a user or, where it names none, a container. */
	owner: UserRow;
	container: ContainerRow;
	by: { user: string; ip: string };
}

export type Handlers = Record<string, (call: Call) => unknown>;

/** The cursor is the number of the last entry, so that entries that come and go move no other entry. */
export async function listPage<Name extends ListName>(
	{ request, reply, vault, publicUrl }: Call,
	list: Name,
	own: Partial<ListRow<Name>>,
) {
	const { limit } = request.query;
	const rows = await listRows(vault.database, list, own, { ...request.query, limit: limit + 1 });
	const page = rows.slice(0, limit);
	if (rows.length > limit) {
		const next = new URL(request.url, publicUrl);
		next.searchParams.set('cursor', String(page.at(-1)!.seq));
		void reply.header('Link', `<${next.href}>; rel="next"`);
	}
	return page;
}
