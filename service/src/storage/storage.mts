/** A part of a file in bytes: from `start`, to before `end`. */
export type ByteRange = { start: number; end: number };

/** The storage works, and does not have this file, or not this part of it. */
export class MissingFileError extends Error {
	constructor(name: string, cause: unknown) {
		super(`The file ${name} is missing`, { cause });
	}
}

/** Holds encrypted files. A name is never used for another content. */
export interface Storage {
	/** When it returns, all of it survives a crash; when it throws, the caller removes the name. */
	write(name: string, content: AsyncIterable<Buffer>): Promise<void>;
	/** @throws MissingFileError; another error where the storage can't be read */
	read(name: string, range: ByteRange): Promise<AsyncIterable<Buffer>>;
	/** A file that is missing is removed. */
	remove(name: string): Promise<void>;
	/** @throws where it can't be read and written now */
	check(): Promise<void>;
	/** How much can be written; Infinity where nobody knows. */
	getFreeBytes(): Promise<number>;
	list(): AsyncIterable<{ name: string; size: number; modified: Date }>;
}
