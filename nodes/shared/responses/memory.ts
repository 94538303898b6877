import { isObject } from './shapes';

/** What values take in memory, in bytes and rather too much: an object or list, an entry, a field, a byte of text. */
export const HOLDER_MEMORY = 56;
export const ENTRY_MEMORY = 20;
export const FIELD_MEMORY = 8;
export const TEXT_MEMORY = 2;

/** Bytes that the responses take that one execution keeps. A small response counts for nothing. */
export const MAX_KEPT = 150_000_000;
export const SMALL = 2000;

/** How much of what the service sent an execution, a poll or a picker keeps. */
export interface Kept {
	bytes: number;
}

/** The memory that a value takes, about. */
export function estimateMemory(root: unknown): number {
	let bytes = 0;
	const open = [root];
	while (open.length > 0) {
		const value = open.pop();
		if (typeof value === 'string') bytes += value.length * TEXT_MEMORY;
		if (!isObject(value)) continue;
		const held: unknown[] = Object.values(value);
		bytes += HOLDER_MEMORY + held.length * (ENTRY_MEMORY + FIELD_MEMORY);
		for (const entry of held) open.push(entry);
	}
	return bytes;
}
