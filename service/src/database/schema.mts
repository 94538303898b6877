import type { Generated, Kysely, Selectable, Transaction } from 'kysely';

/** Times that people see are ISO 8601 text; moments that only the service compares are milliseconds since 1970. */
export interface Tables {
	meta: { name: string; value: string };
	users: {
		id: string;
		email: string;
		/** The address in the form that is compared. */
		address: string;
		role: string;
		org_id: string;
		first_name: string;
		last_name: string;
		mobile_phone: string;
		created_date: string;
	};
	api_keys: {
		id: string;
		user_id: string;
		/** SHA-256 of the key, in hex. */
		hash: string;
		created_date: string;
		revoked_date: string | null;
	};
	containers: {
		seq: Generated<number>;
		id: string;
		owner_id: string;
		name: string;
		/** The name in the form that is searched. */
		folded_name: string;
		created_date: string;
		updated_date: string;
		size: number;
		file_count: number;
		/** Canonical JSON, authenticated by the seal. */
		rules: string;
		/** JSON, authenticated by the seal. */
		files: string;
		/** Name of the encrypted file in the storage. */
		object: string;
		seal: string;
		master_key_id: string;
		opens_used: number;
		/** Counts the changes of the rules. */
		revision: number;
	};
	contacts: {
		seq: Generated<number>;
		user_id: string;
		address: string;
		email: string;
		/** JSON. */
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
		/** JSON. */
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
	idempotency_keys: {
		user_id: string;
		key: string;
		fingerprint: string;
		/** Who runs the request, and until when it counts as running. */
		holder: string;
		lease_until: number;
		/** JSON; null while the request runs. */
		response: string | null;
		created_at: number;
	};
}

export type Database = Kysely<Tables>;
/** A database, or a transaction of it. */
export type Queries = Database | Transaction<Tables>;
export type ContainerRow = Selectable<Tables['containers']>;
export type ContactRow = Selectable<Tables['contacts']>;
export type EventRow = Selectable<Tables['events']>;
export type UserRow = Selectable<Tables['users']>;
