import { ENTRY_MEMORY, FIELD_MEMORY, HOLDER_MEMORY, TEXT_MEMORY } from './memory';
import { isRecord } from './shapes';

/** What can't be parted is parsed in one go: one entry of a list, and all that is in no list. */
const MAX_PART_BYTES = 8_000_000;
const MAX_PART_VALUES = 50_000;
export const MAX_ENTRIES = 250_000;

/** Deeper than any record of the service; n8n processes items recursively and would overflow its stack. */
const MAX_DEPTH = 100;
/** Longer than the name of any field, which n8n would save, show and log. */
const MAX_KEY_LENGTH = 1000;
/** Records have a few dozen; each name costs much more memory and time than a value. */
const MAX_NAMES = 20_000;

const LARGE_NUMBER = /\d{16}/;
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[-\d][-+.\de]*/gi;
const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] =
	Buffer.from('"\\,:[]{}');

/** Why JSON can't be used, in words that follow a colon. */
export class UnusableJson extends Error {}

/** What is too large to be parsed, in words that follow "returned". */
export class TooLarge extends Error {}

/**
 * Parses an object or a list while it arrives. Lists that are in no other list are parsed in parts, a part for each chunk,
 * so that n8n can do something else in between, and what would take too much memory is known before.
 *
 * @throws UnusableJson, TooLarge
 */
export class JsonReader {
	/** Bytes that the values take, about. */
	memory = 0;
	/** Those that are in no other one, the current one last. */
	private readonly lists: unknown[][] = [];
	/** Of the fields in all parts. */
	private readonly names = new Set<string>();
	private entries = 0;

	/** What is in no list: a list is written there as a list of its number. */
	private outer = '';
	/** Of what is in no list, and of the current part of a list. */
	private values = { outer: 0, part: 0 };
	private readonly chunks: Uint8Array[] = [];
	private chunksLength = 0;

	private depth = 0;
	/** Of the entries of the current list, where there is one. */
	private listDepth = Infinity;
	private isInText = false;
	private isEscaped = false;

	add(chunk: Uint8Array): void {
		let from = 0;
		/** The text that was not parsed yet, up to an index of the chunk. */
		const takeUntil = (to: number) => {
			this.chunks.push(chunk.subarray(from, to));
			from = to;
			return this.take();
		};
		for (let index = 0; index < chunk.length; index += 1) {
			const byte = chunk[index];
			if (this.isEscaped) this.isEscaped = false;
			else if (byte === BACKSLASH) this.isEscaped = this.isInText;
			else if (byte === QUOTE) this.isInText = !this.isInText;
			else if (this.isInText) continue;
			else if (byte === COLON) this.count(FIELD_MEMORY);
			else if (byte === COMMA) {
				this.count(ENTRY_MEMORY);
				if (this.depth !== this.listDepth) continue;
				this.entries += 1;
				if (this.chunks.length === 0) continue;
				this.parsePart(takeUntil(index));
				from += 1;
			} else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
				if (this.open(byte)) this.outer += takeUntil(index + 1);
			} else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
				if (this.depth === this.listDepth) this.closeList(takeUntil(index));
				this.depth -= 1;
			}
		}
		this.keep(chunk.subarray(from));
		this.memory += chunk.length * TEXT_MEMORY;
	}

	/** @param length of the whole body */
	end(length: number): unknown {
		if (this.isInText || this.depth > 0) {
			throw new UnusableJson(`it ends too early, after ${length} characters`);
		}
		return insertLists(parseJson(`${this.outer}${this.take()}`.trim(), this.names), this.lists);
	}

	private count(bytes: number): void {
		this.memory += bytes;
		this.values[this.depth < this.listDepth ? 'outer' : 'part'] += 1;
	}

	/** Whether this begins a list that is in no other one. */
	private open(byte: number): boolean {
		this.count(HOLDER_MEMORY);
		this.depth += 1;
		if (this.depth > MAX_DEPTH) {
			throw new UnusableJson(`it is nested more than ${MAX_DEPTH} levels deep`);
		}
		if (byte !== OPEN_LIST || this.depth > this.listDepth) return false;
		this.listDepth = this.depth;
		this.values.part = 0;
		this.lists.push([]);
		return true;
	}

	private closeList(text: string): void {
		const list = this.lists[this.lists.length - 1];
		if (list.length > 0 || text.trim() !== '') this.parsePart(text);
		this.outer += `${this.lists.length - 1}`;
		this.listDepth = Infinity;
	}

	private parsePart(text: string): void {
		const part = parseJson(`[${text}]`, this.names) as unknown[];
		// Such as `[1,,2]` that is parted between its commas.
		if (part.length === 0) throw cantParse();
		const list = this.lists[this.lists.length - 1];
		for (const entry of part) list.push(entry);
		this.values.part = 0;
	}

	private keep(chunk: Uint8Array): void {
		if (this.entries > MAX_ENTRIES) throw new TooLarge(`more than ${MAX_ENTRIES} entries`);
		this.chunks.push(chunk);
		this.chunksLength += chunk.length;
		const isOuter = this.depth < this.listDepth;
		const bytes = this.chunksLength + (isOuter ? this.outer.length : 0);
		const values = isOuter ? this.values.outer : this.values.part;
		if (bytes <= MAX_PART_BYTES && values <= MAX_PART_VALUES) return;
		throw new TooLarge(
			`one value of more than ${MAX_PART_BYTES / 1_000_000} MB, or with more than ${MAX_PART_VALUES} fields or entries`,
		);
	}

	private take(): string {
		this.chunksLength = 0;
		return Buffer.concat(this.chunks.splice(0)).toString();
	}
}

/** Parses JSON. Whole numbers from 2^53, which JavaScript rounds, become text. @throws UnusableJson */
export function parseJson(text: string, names = new Set<string>()): unknown {
	let value: unknown;
	try {
		value = JSON.parse(text);
		if (LARGE_NUMBER.test(text)) value = JSON.parse(text.replace(JSON_TOKEN, quoteLargeNumber));
	} catch {
		throw cantParse();
	}
	sanitize(value, names);
	return value;
}

function cantParse(): UnusableJson {
	return new UnusableJson("it can't be parsed");
}

function quoteLargeNumber(token: string): string {
	const isRounding = /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
	return isRounding ? `"${token}"` : token;
}

function insertLists(value: unknown, lists: unknown[][]): unknown {
	if (Array.isArray(value)) return lists[value[0] as number];
	if (!isRecord(value)) return value;
	const filled = Object.entries(value).map(([key, held]) => [key, insertLists(held, lists)]);
	return Object.fromEntries(filled);
}

/** Removes keys that would reach an object's prototype when copied. @throws UnusableJson for names that cost too much */
function sanitize(value: unknown, names: Set<string>): void {
	if (Array.isArray(value)) {
		for (const entry of value) sanitize(entry, names);
	}
	if (!isRecord(value)) return;
	Reflect.deleteProperty(value, '__proto__');
	// Not Object.entries: a list of 100,000 records would take twice the time.
	for (const key of Object.keys(value)) {
		names.add(key);
		if (key.length > MAX_KEY_LENGTH) {
			throw new UnusableJson(`a field has a name of more than ${MAX_KEY_LENGTH} characters`);
		}
		sanitize(value[key], names);
	}
	if (names.size > MAX_NAMES) {
		throw new UnusableJson(`it has more than ${MAX_NAMES} different names of fields`);
	}
}

/**
 * Finds where a text stops being JSON, at its end when it ends too early. Only the position is used from the error of
 * JSON.parse, if it has one: its message may quote a secret.
 */
export function getJsonErrorOffset(error: unknown, text: string): number | undefined {
	const message = String(error);
	if (/^SyntaxError: (Unexpected end|Unterminated)/.test(message)) return text.length;
	const position = / JSON at position (\d+)/.exec(message)?.[1];
	return position === undefined ? undefined : Number(position);
}
