import papaparse from 'papaparse';
import { decryptFile } from '../../containers/decryptFile.mts';
import { FairQueue } from '../../viewing/fairQueue.mts';
import type { Door, Visit } from '../door.mts';
import type { VisibleFile } from './visibleFiles.mts';
import type { Beginning } from './textFiles.mts';

export const ROWS_AT_ONCE = 500;
const MAX_COLUMNS = 100;
/** A row that is longer isn't one: a quotation mark is missing. */
const MAX_ROW_CHARACTERS = 1024 * 1024;
/** What lies behind takes longer to be found than a person waits. */
const MAX_BYTES = 100 * 1024 * 1024;
/** Lines in which the separator of the cells is looked for. */
const GUESSED_LINES = 20;
/** Says what separates the cells: Excel writes and reads it, and shows no such row. */
const SEPARATOR_LINE = /^sep=([^"\r\n])\r?\n/i;

export interface Table {
	/** Counted from 1, as in a spreadsheet. */
	first: number;
	rows: string[][];
	/** The first row of the table, where others are shown. */
	header?: string[];
	hasMore: boolean;
	isCut: boolean;
}

/** To find a row, all rows before it are read: somebody who asks again and again gets one place. */
const queue = new FairQueue();

/** The rows around the one that is asked for, or the last ones. @throws ViewingError where too many wait */
export async function readTable(
	door: Door,
	visit: Visit,
	file: VisibleFile,
	{ beginning, from }: { beginning: Beginning; from: number },
): Promise<Table> {
	const { address } = visit;
	const read = async () => await findRows(decode(door, visit, file, beginning), beginning, from);
	const document = `${address} ${visit.row.object} ${file.index}`;
	const found = await queue.add({ client: address, document, run: read });
	const isWide = found.rows.some((row) => row.length > MAX_COLUMNS);
	const isLong = !found.hasMore && file.size > MAX_BYTES;
	return {
		...found,
		rows: found.rows.map(limitColumns),
		header: found.first === 1 ? undefined : found.header && limitColumns(found.header),
		isCut: found.isCut || isWide || isLong,
	};
}

const limitColumns = (row: string[]) => row.slice(0, MAX_COLUMNS);

async function* decode(door: Door, visit: Visit, file: VisibleFile, { encoding }: Beginning) {
	const decoder = new TextDecoder(encoding);
	const range = { start: 0, end: Math.min(file.size, MAX_BYTES) };
	for await (const bytes of decryptFile(door.vault, visit, file, range)) {
		yield decoder.decode(bytes, { stream: true });
	}
	if (file.size <= MAX_BYTES) yield decoder.decode();
}

async function findRows(texts: AsyncIterable<string>, { text }: Beginning, from: number) {
	const [separatorLine = '', delimiter] = SEPARATOR_LINE.exec(text) ?? [];
	const preview = text.slice(separatorLine.length);
	const guessed = { delimiter, preview: GUESSED_LINES, skipEmptyLines: true };
	const parsed = new RowParser(papaparse.parse(preview, guessed).meta);
	let block: string[][] = [];
	let last = 0;
	let header: string[] | undefined;
	const describe = (hasMore: boolean) => {
		const first = last - block.length + 1;
		return { first, rows: block, header, hasMore, isCut: parsed.isCut };
	};
	for await (const rows of parsed.parse(skip(texts, separatorLine.length))) {
		for (const row of rows) {
			header ??= row;
			if (block.length === ROWS_AT_ONCE) {
				if (last >= from) return describe(true);
				block = [];
			}
			block.push(row);
			last += 1;
		}
	}
	return describe(false);
}

async function* skip(texts: AsyncIterable<string>, characters: number) {
	let left = characters;
	for await (const text of texts) {
		yield text.slice(left);
		left -= Math.min(left, text.length);
	}
}

/** Cells are separated by what separates them most often at the beginning: commas, semicolons, tabs. */
class RowParser {
	private readonly parser: papaparse.Parser;
	/** Whether rows are missing at the end. */
	isCut = false;

	constructor({ delimiter, linebreak }: papaparse.ParseMeta) {
		this.parser = new papaparse.Parser({ delimiter, newline: linebreak as '\n' });
	}

	async *parse(texts: AsyncIterable<string>): AsyncGenerator<string[][]> {
		let rest = '';
		for await (const text of texts) {
			rest += text;
			const { rows, end } = this.parseText(rest, { isLast: false });
			yield rows;
			rest = rest.slice(end);
			this.isCut = rest.length > MAX_ROW_CHARACTERS;
			if (this.isCut) return;
		}
		yield this.parseText(rest, { isLast: true }).rows;
	}

	private parseText(text: string, { isLast }: { isLast: boolean }) {
		const { data, meta } = this.parser.parse(text, 0, !isLast) as papaparse.ParseResult<string[]>;
		return { rows: data, end: meta.cursor };
	}
}
