import type { EventEmitter } from 'node:events';
import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import LibSql from 'libsql';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { attempt } from '../errors.mts';

const OWN = 0o600;
const MAX_FREE_STATEMENTS = 200;
/** A transaction takes the lock at its start: one that reads first could not write later. */
const BEGIN = 'begin immediate';
const CONTROLS = ['begin', 'commit', 'rollback'];
const CHANGE = /^(insert|update|delete)\b/i;

/**
 * FULL: what was answered survives a power failure. secure_delete: what was deleted is overwritten. Who waits for the lock
 * of another process later on does so in PatientDialect.
 */
const SETTINGS =
	'busy_timeout=10000 journal_mode=WAL synchronous=FULL secure_delete=ON busy_timeout=0';

/** libsql ends the process at a boolean, writes NULL for undefined, and cuts text at a NUL. @throws TypeError */
function checkValues(values: readonly unknown[]): readonly unknown[] {
	for (const value of values) {
		const isText = typeof value === 'string' && !value.includes('\0');
		if (isText || Number.isFinite(value) || value === null) continue;
		throw new TypeError(`A ${typeof value} can't be stored in the database`);
	}
	return values;
}

/** Also in a folder that everybody can read, and for the files beside it: they get the mode of the database. */
function keepFromOthers(file: string): void {
	closeSync(openSync(file, 'a', OWN));
	for (const path of [file, `${file}-wal`, `${file}-shm`]) {
		// Some file systems have no modes.
		attempt(() => chmodSync(path, OWN));
	}
}

/** SQLite goes on with a file that has no name any more: what is written there is lost when the process ends. */
function watchFile(file: string): () => void {
	const { ino } = statSync(file);
	return () => {
		if (statSync(file).ino === ino) return;
		const message = `${file} was replaced while the service ran. Restart the service.`;
		throw Object.assign(new Error(message), { code: 'ESTALE' });
	};
}

/** Statements that were parsed and are not in use, by their text: parsing one takes longer than most of them run. */
class Statements {
	private readonly free = new Map<string, LibSql.Statement>();

	constructor(private readonly connection: LibSql.Database) {}

	take(text: string): LibSql.Statement {
		const statement = this.free.get(text) ?? this.connection.prepare(text);
		this.free.delete(text);
		return statement;
	}

	/** Only what has run to its end: another one still holds its rows. */
	giveBack(text: string, statement: LibSql.Statement): void {
		if (this.free.size >= MAX_FREE_STATEMENTS) this.free.clear();
		this.free.set(text, statement);
	}
}

/**
 * Transactions begin and end without statements. libsql never ends a statement that found the database locked, and with
 * it no later transaction of the connection would end, and the lock would never be free again.
 */
class Transactions {
	constructor(
		private readonly connection: LibSql.Database,
		private readonly commits?: EventEmitter,
	) {}

	control(text: string): void {
		this.connection.exec(text === 'begin' ? BEGIN : text);
		if (text === 'commit') this.commits?.emit('commit');
	}

	/** A change that is no part of a transaction becomes one: so its statement never waits for the lock. */
	change<Result>(text: string, run: () => Result): Result {
		const { connection } = this;
		if (connection.inTransaction || !CHANGE.test(text)) return run();
		connection.exec(BEGIN);
		try {
			const result = run();
			connection.exec('commit');
			return result;
		} catch (error) {
			// After some errors, SQLite has done so.
			attempt(() => connection.exec('rollback'));
			throw error;
		}
	}
}

export function openSqlite(file: string, commits?: EventEmitter): SqliteDatabase {
	keepFromOthers(file);
	const connection = new LibSql(file);
	const assertSameFile = watchFile(file);
	for (const setting of SETTINGS.split(' ')) connection.prepare(`pragma ${setting}`).all();
	const statements = new Statements(connection);
	const transactions = new Transactions(connection, commits);

	/** What begins or ends a transaction has no values and no rows. */
	function prepareControl(text: string): SqliteStatement {
		const run = () => {
			transactions.control(text);
			return { changes: 0, lastInsertRowid: 0 };
		};
		return { reader: false, run, all: () => [], iterate: () => [].values() };
	}

	return {
		close: () => connection.close(),
		prepare(text) {
			assertSameFile();
			if (CONTROLS.includes(text)) return prepareControl(text);
			const statement = statements.take(text);
			function perform<Result>(run: () => Result): Result {
				const result = transactions.change(text, run);
				statements.giveBack(text, statement);
				return result;
			}
			return {
				reader: statement.reader,
				all: (values) => perform(() => statement.all(checkValues(values))),
				run: (values) => perform(() => statement.run(checkValues(values))),
				iterate: (values) => statement.iterate(checkValues(values)),
			};
		},
	};
}
