import { sql, type Expression, type SqlBool } from 'kysely';

/** The form in which texts are searched: capitals and Unicode forms make no difference. */
export function foldText(text: string): string {
	return text.normalize('NFKC').toLowerCase();
}

/** Whether a folded column contains the text. */
export function containsText(column: string, text: string): Expression<SqlBool> {
	const pattern = `%${foldText(text).replace(/[\\%_]/g, '\\$&')}%`;
	return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;
}
