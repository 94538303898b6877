import { sql, type SelectQueryBuilder, type SqlBool } from 'kysely';
import type { Tables } from './schema.mts';

/** Which entries of a list are wanted: at most `limit`, behind the one with the number `after`. */
export interface PageRequest {
	limit: number;
	order: 'asc' | 'desc';
	after?: number;
}

type ListTable = 'containers' | 'contacts' | 'events';

/** Puts a list in its order, and takes one page of it. */
export function inPage({ limit, order, after }: PageRequest) {
	return <Row,>(query: SelectQueryBuilder<Tables, ListTable, Row>) =>
		query
			.$if(after !== undefined, (all) => all.where('seq', order === 'asc' ? '>' : '<', after!))
			.orderBy('seq', order)
			.limit(limit);
}

/** The form in which texts are searched: capitals and Unicode forms make no difference. */
export const foldText = (text: string) => text.normalize('NFKC').toLowerCase();

/** Whether a folded column contains the text. */
export function containsText(column: string, text: string) {
	const pattern = `%${foldText(text).replace(/[\\%_]/g, '\\$&')}%`;
	return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;
}
