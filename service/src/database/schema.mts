import type { Generated, Kysely, Selectable, Transaction } from 'kysely';

type Texts<Names extends string> = Record<Names, string>;
type Nullable<Names extends string> = Record<Names, string | null>;
type Numbers<Names extends string> = Record<Names, number>;
type Entry<Columns> = Columns & { seq: Generated<number> };

/** What an API key can do. */
export type KeyScope = 'all' | 'read' | 'encode';

/** Times that people see are ISO 8601 text, others milliseconds. An `address` is the normal form of an `email`. */
export interface Tables {
	meta: Texts<'name' | 'value'>;
	/** One who is disabled has no way in. Where a user is closed too, the door refuses recipients of their containers. */
	users: Texts<'id' | 'email' | 'address' | 'created_date'> &
		Nullable<'disabled_date' | 'closed_date'> & { role: 'user' | 'admin' };
	api_keys: Texts<'id' | 'user_id' | 'hash' | 'created_date' | 'name'> &
		Nullable<'revoked_date' | 'expires_date' | 'last_used_day'> & { scope: KeyScope };
	/** The seal authenticates rules (canonical JSON) and files (JSON). The object is the encrypted file in the storage. */
	containers: Entry<
		Texts<'id' | 'owner_id' | 'name' | 'folded_name' | 'created_date' | 'updated_date'> &
			Texts<'rules' | 'files' | 'object' | 'seal' | 'master_key_id'> &
			Numbers<'size' | 'file_count' | 'opens_used' | 'revision'> & {
				/** When a change of the rules moved the end of access into the past. */
				ended_day: string | null;
				/** Since when nobody can delete it. */
				held_date: string | null;
				/** Where it came by a request for files: which one, and the address of whoever sent it. The seal covers both. */
				request_id: string | null;
				sender: string | null;
				/** First 18 characters of the seal that was indexed. Differs from `seal` if the index is out of date. */
				indexed_seal: string | null;
			}
	>;
	/** Requests for files. Settings are canonical JSON. The MAC covers all but how many deliveries came. */
	requests: Entry<
		Texts<'id' | 'owner_id' | 'name' | 'folded_name' | 'created_date' | 'settings' | 'mac'> &
			Numbers<'delivered'>
	>;
	/** The index of recipients: whom the rules of a container name, in the normal form. */
	recipients: Texts<'owner_id' | 'recipient'> & Numbers<'container_seq'>;
	/** Fields are JSON. So is the detail of an event. */
	contacts: Entry<
		Texts<'user_id' | 'address' | 'email' | 'fields' | 'created_date' | 'updated_date'>
	>;
	/** What proves it is null in events from before the trails. A salt is gone with what it hid: then `erasure` proves that the service erased it. */
	events: Entry<
		Texts<'owner_id' | 'created_date' | 'action' | 'user' | 'detail'> &
			Nullable<'container_id' | 'container_name' | 'request_id'> &
			Nullable<'user_salt' | 'user_commitment' | 'detail_salt' | 'detail_commitment'> &
			Nullable<'hash' | 'mac' | 'erasure'>
	>;
	/** Between which events, both with their hashes, the chain of an owner is whole: after the start, up to the end. */
	trails: Texts<'owner_id' | 'start_hash' | 'end_hash' | 'mac'> & Numbers<'start_id' | 'end_id'>;
	/** What sessions were shown that aren't over: a page as a picture, or its text. Pages count from 1. */
	shown_pages: Texts<'session_id' | 'container_id' | 'owner_id' | 'container_name'> &
		Texts<'user' | 'ip'> &
		Numbers<'file' | 'page' | 'session_end'> & { form: 'picture' | 'text'; country: string | null };
	codes: Texts<'id' | 'container_id' | 'address' | 'hash'> & Numbers<'tries' | 'expires_at'>;
	attempts: Texts<'id' | 'subject'> & Numbers<'made_at'>;
	/** The holder runs the request until its lease ends. The response is JSON, and null until then. */
	idempotency_keys: Texts<'user_id' | 'key' | 'fingerprint' | 'holder'> &
		Numbers<'lease_until' | 'created_at'> & { response: string | null };
}

export type Database = Kysely<Tables>;
export type Queries = Database | Transaction<Tables>;
export type ContainerRow = Selectable<Tables['containers']>;
export type ContactRow = Selectable<Tables['contacts']>;
export type FileRequestRow = Selectable<Tables['requests']>;
export type EventRow = Selectable<Tables['events']>;
export type ApiKeyRow = Selectable<Tables['api_keys']>;
export type IndexRow = Selectable<Tables['recipients']>;
export type TrailRow = Selectable<Tables['trails']>;
export type UserRow = Selectable<Tables['users']>;

export const isPostgres = (queries: Queries) =>
	queries.getExecutor().adapter.supportsTransactionalDdl;
