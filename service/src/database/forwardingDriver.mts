import type { DatabaseConnection, Driver, TransactionSettings } from 'kysely';

/** A driver around another one, which does all that a subclass doesn't. */
export class ForwardingDriver implements Driver {
	constructor(protected readonly inner: Driver) {}

	async init(): Promise<void> {
		await this.inner.init();
	}

	async acquireConnection(): Promise<DatabaseConnection> {
		return await this.inner.acquireConnection();
	}

	async releaseConnection(connection: DatabaseConnection): Promise<void> {
		await this.inner.releaseConnection(connection);
	}

	async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings) {
		await this.inner.beginTransaction(connection, settings);
	}

	async commitTransaction(connection: DatabaseConnection): Promise<void> {
		await this.inner.commitTransaction(connection);
	}

	async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
		await this.inner.rollbackTransaction(connection);
	}

	async destroy(): Promise<void> {
		await this.inner.destroy();
	}
}
