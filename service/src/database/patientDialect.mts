import { setTimeout as sleep } from 'node:timers/promises';
import { SqliteDialect, type CompiledQuery, type DatabaseConnection, type Driver } from 'kysely';
import { ForwardingDriver } from './forwardingDriver.mts';

/** So long, another process can hold the lock of the file: then it counts as gone. */
const MAX_LOCKED_MS = 10_000;
const RETRY_MS = 20;
/** What needs the lock. */
const CHANGE = /^(begin|insert|update|delete)\b/i;

/**
 * While another process holds the lock of the file, SQLite itself would wait in this thread, and nobody would get an answer.
 * Here, only those wait who need the database.
 */
export class PatientDialect extends SqliteDialect {
	override createDriver(): Driver {
		return new PatientDriver(super.createDriver());
	}
}

class PatientDriver extends ForwardingDriver {
	/** SQLite has only one. */
	private connection?: PatientConnection;

	override async acquireConnection(): Promise<DatabaseConnection> {
		const acquired = await this.inner.acquireConnection();
		return (this.connection ??= new PatientConnection(acquired));
	}
}

class PatientConnection implements DatabaseConnection {
	private lockedSince?: number;

	constructor(private readonly inner: DatabaseConnection) {}

	/** What found the lock did nothing: it can run again. */
	async executeQuery<Row>(query: CompiledQuery) {
		for (;;) {
			try {
				const result = await this.inner.executeQuery<Row>(query);
				if (CHANGE.test(query.sql)) this.lockedSince = undefined;
				return result;
			} catch (error) {
				if (!isLocked(error) || !this.isWorthWaiting()) throw error;
			}
			await sleep(RETRY_MS);
		}
	}

	streamQuery<Row>(query: CompiledQuery, chunkSize?: number) {
		return this.inner.streamQuery<Row>(query, chunkSize);
	}

	/** Whoever comes when it has been locked for long doesn't wait as long again, one after the other. */
	private isWorthWaiting(): boolean {
		this.lockedSince ??= performance.now();
		return performance.now() - this.lockedSince < MAX_LOCKED_MS;
	}
}

const isLocked = (error: unknown) =>
	String((error as NodeJS.ErrnoException).code).startsWith('SQLITE_BUSY');
