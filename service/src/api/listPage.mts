import { listRows } from '../database/lists.mts';
import type { IndexQuery, ListName, ListRow } from '../database/lists.mts';
import type { Call } from './call.mts';

/** The page of a list that a request asks for. */
export async function listPage<Name extends ListName>(
	call: Call,
	list: Name,
	own: Partial<ListRow<Name>>,
	indexed?: IndexQuery,
) {
	return toPage(call, await readPage(call, list, own, indexed));
}

/** @returns one row more than the page has, where there is another page */
export async function readPage<Name extends ListName>(
	{ request, vault }: Call,
	list: Name,
	own: Partial<ListRow<Name>>,
	indexed?: IndexQuery,
) {
	const { limit, order, cursor, ...filters } = request.query;
	const query = { limit: limit + 1, order, cursor, filters, indexed };
	return await listRows(vault.database, list, own, query);
}

/** The cursor is the number of the last entry, so that entries that come and go move no other entry. */
export function toPage<Row extends { seq: number }>(
	{ request, reply, publicUrl }: Call,
	rows: Row[],
): Row[] {
	const { limit } = request.query;
	const page = rows.slice(0, limit);
	if (rows.length > limit) {
		const next = new URL(request.url, publicUrl);
		next.searchParams.delete('wait');
		next.searchParams.set('cursor', String(page.at(-1)!.seq));
		void reply.header('Link', `<${next.href}>; rel="next"`);
	}
	return page;
}
