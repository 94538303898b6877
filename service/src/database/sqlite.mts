import LibSql from 'libsql';
import type { SqliteDatabase } from 'kysely';

/** FULL: what was answered survives a power failure. secure_delete: what was deleted is overwritten. */
const SETTINGS = 'journal_mode=WAL synchronous=FULL secure_delete=ON busy_timeout=10000';

/**
 * libsql ends the process at a boolean, writes NULL for undefined, and cuts text at a NUL.
 *
 * @throws TypeError for a value that it would not store as it is
 */
export function assertStorable(values: readonly unknown[]): void {
	for (const value of values) {
		const isText = typeof value === 'string' && !value.includes('\0');
		if (isText || Number.isFinite(value) || value === null) continue;
		throw new TypeError(`A ${typeof value} can't be stored in the database`);
	}
}

/** Opens a SQLite file. Another process, such as a command, can use it at the same time. */
export function openSqlite(file: string): SqliteDatabase {
	const connection = new LibSql(file);
	for (const setting of SETTINGS.split(' ')) connection.prepare(`pragma ${setting}`).all();
	return {
		close: () => connection.close(),
		prepare(text) {
			// A transaction takes the lock at its start: one that reads first could not write later.
			const statement = connection.prepare(text === 'begin' ? 'begin immediate' : text);
			const guard = <Result,>(run: (values: readonly unknown[]) => Result) => {
				return (values: readonly unknown[]) => {
					assertStorable(values);
					return run(values);
				};
			};
			return {
				reader: statement.reader,
				all: guard((values) => statement.all(values)),
				run: guard((values) => statement.run(values)),
				iterate: guard((values) => statement.iterate(values)),
			};
		},
	};
}
