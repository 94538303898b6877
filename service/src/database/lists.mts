import { sql, type Selectable, type SqlBool } from 'kysely';
import { invalid } from '../errors.mts';
import type { ContainerRow, Queries, Tables } from './schema.mts';

export type ListName = 'containers' | 'contacts' | 'events' | 'requests';
export type ListRow<Name extends ListName> = Selectable<Tables[Name]> & { seq: number };

const FILTERS = {
	name: (text: string) => containsText('folded_name', text),
	email: (text: string) => containsText('address', text),
	created_after: (text: string) => sql<SqlBool>`created_date > ${toMoment(text)}`,
	created_before: (text: string) => sql<SqlBool>`created_date < ${toMoment(text)}`,
	after: (text: string) => sql<SqlBool>`seq > ${parseSequence('after', text)}`,
};

export type Filters = { [Name in keyof typeof FILTERS]?: string };

export interface ListQuery {
	limit: number;
	order?: 'asc' | 'desc';
	cursor?: string;
	/** Only those that are known here count. */
	filters?: Filters;
	indexed?: IndexQuery;
}

/** Containers of an owner that have any of these recipients in the index. */
export interface IndexQuery {
	owner_id: string;
	/** In their normal form. */
	recipients: string[];
}

export async function listRows<Name extends ListName>(
	queries: Queries,
	list: Name,
	own: Partial<ListRow<Name>>,
	{ limit, order = 'asc', cursor, filters = {}, indexed }: ListQuery,
) {
	let query = queries.selectFrom(list as 'containers').selectAll();
	query = query.where(({ and }) => and(own as Partial<ContainerRow>));
	const conditions = toConditions(filters);
	for (const condition of conditions) query = query.where(condition);
	const isAfter = order === 'asc' ? '>' : '<';
	const last = cursor === undefined ? undefined : parseSequence('cursor', cursor);
	if (last !== undefined) query = query.where('seq', isAfter, last);
	if (indexed !== undefined) {
		let rows = selectIndexed(queries, indexed).orderBy('container_seq', order);
		if (last !== undefined) rows = rows.where('container_seq', isAfter, last);
		// A container has a row for each of the recipients at most.
		if (conditions.length === 0) rows = rows.limit(limit * indexed.recipients.length);
		query = query.where('seq', 'in', rows);
	}
	return (await query.orderBy('seq', order).limit(limit).execute()) as unknown as Array<
		ListRow<Name>
	>;
}

const toConditions = (filters: Filters) =>
	Object.entries(FILTERS).flatMap(([name, toCondition]) => {
		const text = filters[name as keyof Filters];
		return text === undefined ? [] : [toCondition(text)];
	});

function selectIndexed(queries: Queries, { owner_id, recipients }: IndexQuery) {
	const rows = queries.selectFrom('recipients').select('container_seq');
	return rows.where('owner_id', '=', owner_id).where('recipient', 'in', recipients);
}

function parseSequence(parameter: string, text: string): number {
	if (/^\d{1,15}$/.test(text)) return Number(text);
	throw invalid({ [parameter]: "isn't one that this service returned" });
}

/** A day begins at midnight in UTC. */
const toMoment = (text: string) => new Date(text).toISOString();

/** The form in which texts are searched: capitals and Unicode forms make no difference. */
export const foldText = (text: string) => text.normalize('NFKC').toLowerCase();

function containsText(column: string, text: string) {
	const pattern = `%${foldText(text).replace(/[\\%_]/g, '\\$&')}%`;
	return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;
}
