import { ENTRY_MEMORY, FIELD_MEMORY, HOLDER_MEMORY, MAX_KEPT, SMALL, TEXT_MEMORY } from './memory';

/** How much of a list is parsed in one go, in bytes and values: some milliseconds. */
export const PART_BYTES = 100_000;
const PART_VALUES = 20_000;

/** What can't be parted can be larger: one entry of a list, and all that is in no list. */
const MAX_PART_BYTES = 2_000_000;
const MAX_OUTER_BYTES = 8_000_000;
const MAX_PART_VALUES = 50_000;

/** How many entries a list can have. */
export const MAX_ENTRIES = 250_000;

/** Deeper than any record of the service; n8n processes items recursively and would overflow its stack. */
export const MAX_DEPTH = 100;

const [TAB, SPACE, QUOTE, COMMA, COLON] = [9, 32, 34, 44, 58];
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 92, 93, 123, 125];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Where the entries of a list begin and end, and the commas at which they can be parted. */
export interface ListOutline {
	start: number;
	end: number;
	cuts: number[];
}

/**
 * Follows JSON while it arrives: counts what parsing it would build, and finds the lists that can be parsed in parts,
 * those that are in no other list. It does not check that the text is JSON.
 */
export class JsonOutline {
	readonly lists: ListOutline[] = [];
	/** Bytes that the values will take, about. */
	memory = 0;
	/** Undefined until the first character that is not blank: whether the text is an object or a list. */
	isJson: boolean | undefined;
	isTooDeep = false;
	private isPartTooLarge = false;
	private entries = 0;

	private offset = 0;
	private depth = 0;
	private isInText = false;
	private isEscaped = false;
	private list: ListOutline | undefined;
	private listDepth = 0;
	private partStart = 0;
	private partValues = 0;
	private outerValues = 0;
	private outerBytes = 0;

	/**
	 * What is too large to be parsed, in words that follow "returned"; undefined if nothing is.
	 *
	 * @param kept bytes that are kept of other responses
	 */
	describeExcess(maxMemory: number, kept: number): string | undefined {
		// Which is told as such.
		if (this.isTooDeep) return undefined;
		if (this.memory > maxMemory) {
			return `values that take more than ${maxMemory / 1_000_000} MB of memory`;
		}
		if (this.memory > Math.max(SMALL, MAX_KEPT - kept)) {
			return `values that take more than ${MAX_KEPT / 1_000_000} MB of memory, together with those before`;
		}
		if (this.entries > MAX_ENTRIES) return `more than ${MAX_ENTRIES} entries`;
		return this.isPartTooLarge
			? `one value of more than ${MAX_PART_BYTES / 1_000_000} MB, or with more than ${MAX_PART_VALUES} fields or entries`
			: undefined;
	}

	/** Whether the text so far stops in the middle of a value. */
	get isOpen(): boolean {
		return this.isInText || this.depth > 0;
	}

	add(chunk: Uint8Array): void {
		const start = this.isJson === undefined ? this.findStart(chunk) : 0;
		if (this.isJson) this.follow(chunk, start);
		this.offset += chunk.length;
		this.memory += chunk.length * TEXT_MEMORY;
		if (this.isJson) this.checkPart(this.offset);
	}

	private findStart(chunk: Uint8Array): number {
		const isBlank = (byte: number) =>
			byte === SPACE || (byte >= TAB && byte < 14) || BYTE_ORDER_MARK.includes(byte);
		const start = chunk.findIndex((byte) => !isBlank(byte));
		if (start !== -1) this.isJson = chunk[start] === OPEN_LIST || chunk[start] === OPEN_OBJECT;
		return Math.max(start, 0);
	}

	private follow(chunk: Uint8Array, start: number): void {
		let { isInText, isEscaped } = this;
		for (let index = start; index < chunk.length; index += 1) {
			const byte = chunk[index];
			if (isInText) {
				if (isEscaped) isEscaped = false;
				else if (byte === BACKSLASH) isEscaped = true;
				else if (byte === QUOTE) isInText = false;
			} else if (byte === QUOTE) isInText = true;
			else if (byte === COMMA || byte === COLON) this.countField(byte, this.offset + index);
			else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.open(byte, this.offset + index);
			else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.close(this.offset + index);
		}
		this.isInText = isInText;
		this.isEscaped = isEscaped;
	}

	private countField(byte: number, offset: number): void {
		this.countValue(byte === COMMA ? ENTRY_MEMORY : FIELD_MEMORY);
		if (byte !== COMMA || this.list === undefined || this.depth !== this.listDepth) return;
		this.entries += 1;
		if (offset - this.partStart < PART_BYTES && this.partValues < PART_VALUES) return;
		this.list.cuts.push(offset);
		this.startPart(offset);
	}

	private open(byte: number, offset: number): void {
		this.countValue(HOLDER_MEMORY);
		this.depth += 1;
		if (this.depth > MAX_DEPTH) this.isTooDeep = true;
		if (byte !== OPEN_LIST || this.list !== undefined) return;
		this.startPart(offset);
		this.list = { start: offset + 1, end: offset + 1, cuts: [] };
		this.listDepth = this.depth;
	}

	private close(offset: number): void {
		if (this.list !== undefined && this.depth === this.listDepth) {
			this.list.end = offset;
			this.lists.push(this.list);
			this.startPart(offset);
			this.list = undefined;
		}
		this.depth -= 1;
	}

	private startPart(offset: number): void {
		this.checkPart(offset);
		if (this.list === undefined) this.outerBytes += offset - this.partStart;
		this.partStart = offset;
		this.partValues = 0;
	}

	private checkPart(offset: number): void {
		const bytes = offset - this.partStart;
		this.isPartTooLarge ||=
			this.list === undefined
				? this.outerBytes + bytes > MAX_OUTER_BYTES || this.outerValues > MAX_PART_VALUES
				: bytes > MAX_PART_BYTES || this.partValues > MAX_PART_VALUES;
	}

	private countValue(bytes: number): void {
		this.memory += bytes;
		if (this.list === undefined) this.outerValues += 1;
		else this.partValues += 1;
	}
}
