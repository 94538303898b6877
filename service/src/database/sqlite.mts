import LibSql from 'libsql';
import { SqliteDialect, type SqliteDatabase } from 'kysely';

/**
 * libsql ends the process at a boolean, writes NULL for undefined, and cuts text at a NUL.
 *
 * @throws Error for a value that it would not store as it is
 */
export function assertStorable(values: readonly unknown[]): void {
	for (const value of values) {
		const isText = typeof value === 'string' && !value.includes('\0');
		const isNumber = typeof value === 'number' && Number.isFinite(value);
		if (!isText && !isNumber && value !== null) {
			throw new TypeError(`A ${typeof value} can't be stored in the database`);
		}
	}
}

/** Opens a SQLite file. Another process, such as a command, can use it at the same time. */
export function createSqliteDialect(file: string): SqliteDialect {
	const connection = new LibSql(file);
	// FULL: what was answered survives a power failure. secure_delete: what was deleted is overwritten.
	for (const setting of [
		'journal_mode = WAL',
		'synchronous = FULL',
		'secure_delete = ON',
		'busy_timeout = 10000',
	]) {
		connection.prepare(`pragma ${setting}`).all();
	}
	const database: SqliteDatabase = {
		close: () => connection.close(),
		prepare(text) {
			// A transaction takes the lock at its start: one that reads first could not write later.
			const statement = connection.prepare(text === 'begin' ? 'begin immediate' : text);
			const guard =
				<Result,>(run: (values: readonly unknown[]) => Result) =>
				(values: readonly unknown[]) => {
					assertStorable(values);
					return run(values);
				};
			return {
				reader: statement.reader,
				all: guard((values) => statement.all(values)),
				run: guard((values) => statement.run(values)),
				iterate: guard((values) => statement.iterate(values) as IterableIterator<unknown>),
			};
		},
	};
	return new SqliteDialect({ database });
}
