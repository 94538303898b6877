import type { Generated, Kysely, Selectable, Transaction } from 'kysely';

/**
 * Times that people see are ISO 8601 text, others milliseconds. An `address` is the normal form of an `email`,
 * in which it is compared. A `seq` is the place of an entry in its list.
 */
export interface Tables {
	meta: { name: string; value: string };
	users: {
		id: string;
		email: string;
		address: string;
		role: 'user' | 'admin';
		org_id: string;
		first_name: string;
		last_name: string;
		mobile_phone: string;
		created_date: string;
	};
	/** The hash is SHA-256, in hex. */
	api_keys: {
		id: string;
		user_id: string;
		hash: string;
		created_date: string;
		revoked_date: string | null;
	};
	/** The seal authenticates rules (canonical JSON) and files (JSON). The object is the encrypted file in the storage. */
	containers: {
		seq: Generated<number>;
		id: string;
		owner_id: string;
		name: string;
		folded_name: string;
		created_date: string;
		updated_date: string;
		size: number;
		file_count: number;
		rules: string;
		files: string;
		object: string;
		seal: string;
		master_key_id: string;
		opens_used: number;
		revision: number;
	};
	/** Fields are JSON. So is the detail of an event. */
	contacts: {
		seq: Generated<number>;
		user_id: string;
		address: string;
		email: string;
		fields: string;
		created_date: string;
		updated_date: string;
	};
	events: {
		seq: Generated<number>;
		owner_id: string;
		created_date: string;
		action: string;
		container_id: string;
		container_name: string;
		user: string;
		detail: string;
	};
	codes: {
		id: string;
		container_id: string;
		address: string;
		hash: string;
		tries: number;
		expires_at: number;
	};
	/** What is limited to a number an hour. */
	attempts: { id: string; subject: string; made_at: number };
	/** The holder runs the request until its lease ends. The response is JSON, and null until then. */
	idempotency_keys: {
		user_id: string;
		key: string;
		fingerprint: string;
		holder: string;
		lease_until: number;
		response: string | null;
		created_at: number;
	};
}

export type Database = Kysely<Tables>;
export type Queries = Database | Transaction<Tables>;
export type ContainerRow = Selectable<Tables['containers']>;
export type ContactRow = Selectable<Tables['contacts']>;
export type EventRow = Selectable<Tables['events']>;
export type UserRow = Selectable<Tables['users']>;

/** The other kind of database is SQLite. */
export const isPostgres = (queries: Queries) =>
	queries.getExecutor().adapter.supportsTransactionalDdl;
