import type { DatabaseConnection, Dialect, Driver, Kysely, LogEvent } from 'kysely';
import { ForwardingDriver } from './forwardingDriver.mts';

/** Whoever wants to know how the database does. Times are in seconds. */
export interface DatabaseObserver {
	onConnection(seconds: number): void;
	onStatement(seconds: number): void;
	/** A statement failed, or there was no connection. */
	onError(): void;
}

/** Kysely tells how long a statement took, but not how long it waited for a connection. */
export class ObservedDialect implements Dialect {
	constructor(
		private readonly inner: Dialect,
		private readonly observer: DatabaseObserver,
	) {}

	createDriver = () => new ObservedDriver(this.inner.createDriver(), this.observer);
	createAdapter = () => this.inner.createAdapter();
	createQueryCompiler = () => this.inner.createQueryCompiler();
	createIntrospector = (database: Kysely<unknown>) => this.inner.createIntrospector(database);
}

class ObservedDriver extends ForwardingDriver {
	constructor(
		inner: Driver,
		private readonly observer: DatabaseObserver,
	) {
		super(inner);
	}

	override async acquireConnection(): Promise<DatabaseConnection> {
		const start = performance.now();
		try {
			return await this.inner.acquireConnection();
		} catch (error) {
			this.observer.onError();
			throw error;
		} finally {
			this.observer.onConnection((performance.now() - start) / 1000);
		}
	}
}

/** As Kysely tells it. */
export function observeStatement(observer: DatabaseObserver, event: LogEvent): void {
	observer.onStatement(event.queryDurationMillis / 1000);
	if (event.level === 'error') observer.onError();
}
