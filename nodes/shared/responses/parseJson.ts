import type { JsonOutline } from './jsonOutline';
import { MAX_DEPTH, PART_BYTES } from './jsonOutline';
import type { ByteQueue } from './readBody';
import { isObject, isRecord } from './shapes';

/** Longer than the name of any field, which n8n would save, show and log. */
const MAX_KEY_LENGTH = 1000;
/** Records have a few dozen; each name costs much more memory and time than a value. */
const MAX_NAMES = 20_000;

const LARGE_NUMBER = /\d{16}/;
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[-\d][-+.\de]*/gi;
const ID_KEY = /^(uu)?id$|_id$/i;

/** Why JSON can't be used, in words that follow a colon. */
export class UnusableJson extends Error {}

/**
 * Parses an object or a list: a large one in parts, so that n8n can do something else in between.
 *
 * @param takeBreak lets others have their turn
 * @throws UnusableJson
 */
export async function parseInParts(
	bytes: ByteQueue,
	outline: JsonOutline,
	takeBreak: () => Promise<void>,
): Promise<unknown> {
	if (outline.isTooDeep) {
		throw new UnusableJson(`it is nested more than ${MAX_DEPTH} levels deep`);
	}
	if (bytes.length <= PART_BYTES) return parseJson(bytes.read(0).trim());
	const names = new Set<string>();
	const parse = async (text: string) => {
		await takeBreak();
		try {
			return parseJson(text, names);
		} catch (error) {
			// The position within a part says nothing.
			const isSyntax = !(error instanceof UnusableJson) || error.cause !== undefined;
			const end = outline.isOpen ? bytes.length : undefined;
			throw isSyntax ? cantParse(end, bytes.length) : error;
		}
	};
	const lists: unknown[][] = [];
	// A list is written as a list of its number, until its entries take its place.
	let outer = '';
	let end = 0;
	for (const { start, end: listEnd, cuts } of outline.lists) {
		outer += `${bytes.read(end, start)}${lists.length}`;
		end = listEnd;
		const entries: unknown[] = [];
		for (const [index, cut] of [...cuts, listEnd].entries()) {
			const from = index === 0 ? start : cuts[index - 1] + 1;
			const part = (await parse(`[${bytes.read(from, cut)}]`)) as unknown[];
			// Such as `[1,,2]` that is cut between its commas.
			if (part.length === 0 && cuts.length > 0) throw cantParse(undefined, bytes.length);
			for (const entry of part) entries.push(entry);
		}
		lists.push(entries);
	}
	return insertLists(await parse(`${outer}${bytes.read(end)}`.trim()), lists);
}

/**
 * Parses JSON. Whole numbers from 2^53, which JavaScript rounds, become text.
 *
 * @param names of fields in other parts of the same JSON
 * @throws UnusableJson with the error of JSON.parse as its cause, if it is that
 */
export function parseJson(text: string, names = new Set<string>()): unknown {
	let value: unknown;
	try {
		value = JSON.parse(text);
		if (LARGE_NUMBER.test(text)) value = JSON.parse(text.replace(JSON_TOKEN, quoteLargeNumber));
	} catch (error) {
		throw cantParse(getJsonErrorOffset(error, text), text.length, error);
	}
	sanitize(value, names);
	return value;
}

function quoteLargeNumber(token: string): string {
	const isRounding = /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
	return isRounding ? `"${token}"` : token;
}

function cantParse(offset: number | undefined, length: number, cause?: unknown): UnusableJson {
	let reason = `it can't be parsed (${length} characters)`;
	if (offset === length) reason = `it ends too early, after ${length} characters`;
	else if (offset !== undefined) {
		reason = `it can't be parsed at character ${offset + 1} of ${length}`;
	}
	return new UnusableJson(reason, { cause });
}

function insertLists(value: unknown, lists: unknown[][]): unknown {
	if (Array.isArray(value)) return lists[value[0] as number];
	if (!isRecord(value)) return value;
	for (const [key, held] of Object.entries(value)) {
		if (isObject(held)) value[key] = insertLists(held, lists) as typeof held;
	}
	return value;
}

/** Removes keys that would reach an object's prototype when copied. @throws UnusableJson for what can't be used */
function sanitize(root: unknown, names: Set<string>): void {
	const open = isObject(root) ? [root] : [];
	const visit = (key: string, value: unknown) => {
		if (isObject(value)) open.push(value);
		else if (isRounded(value) && (ID_KEY.test(key) || !Number.isFinite(value))) {
			throw new UnusableJson(
				`"${key}" is the number ${String(value)}, which is too large to be exact`,
			);
		}
	};
	for (let node = open.pop(); node !== undefined; node = open.pop()) {
		if (Array.isArray(node)) {
			for (const entry of node) visit('', entry);
			continue;
		}
		Reflect.deleteProperty(node, '__proto__');
		// Not Object.entries: a list of 100,000 records would take twice the time.
		for (const key of Object.keys(node)) {
			names.add(key);
			if (key.length > MAX_KEY_LENGTH) {
				throw new UnusableJson(`a field has a name of more than ${MAX_KEY_LENGTH} characters`);
			}
			visit(key, node[key]);
		}
		if (names.size > MAX_NAMES) {
			throw new UnusableJson(`it has more than ${MAX_NAMES} different names of fields`);
		}
	}
}

/** Such as 1e30: nobody can tell what the service calls the record. n8n saves 1e400 as null. */
function isRounded(value: unknown): boolean {
	return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/**
 * Finds where a text stops being JSON. Only the position is used from the error of JSON.parse: its message may quote a
 * secret.
 *
 * @returns an offset, the length of the text when it ends too early, or undefined when the error has no position
 */
export function getJsonErrorOffset(error: unknown, text: string): number | undefined {
	const message = String(error);
	if (/^SyntaxError: (Unexpected end|Unterminated)/.test(message)) return text.length;
	const position = / JSON at position (\d+)/.exec(message)?.[1];
	return position === undefined ? undefined : Number(position);
}
