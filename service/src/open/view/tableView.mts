import type { ShownFile } from './pagesView.mts';
import { ROWS_AT_ONCE, type Table } from './tables.mts';
import type { PageContext } from '../templates.mts';
import { toViewUrl } from './viewUrl.mts';

/** What the template says about the rows of a table that are shown. */
export function toTableView({ texts, path }: PageContext, { request }: ShownFile, table: Table) {
	const { first, rows, header, hasMore } = table;
	const last = first + rows.length - 1;
	const toRow = (row: number) => ({
		url: `${toViewUrl(path, { file: request.file, from: row })}#row-${row}`,
		count: ROWS_AT_ONCE,
	});
	const isHeader = (number: number) => number === 1;
	const shown = rows.map((cells, index) => ({ number: first + index, cells }));
	return {
		...table,
		view: request,
		header: header ?? rows[0],
		rows: shown.filter(({ number }) => !isHeader(number)),
		isAlone: first === 1 && !hasMore,
		range: texts.text('view.rows', { first, last }),
		next: hasMore ? toRow(last + 1) : undefined,
		previous: first > 1 ? toRow(first - ROWS_AT_ONCE) : undefined,
	};
}
