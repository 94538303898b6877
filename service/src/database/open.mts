import type { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, sql, type Dialect } from 'kysely';
import { ObservedDialect, observeStatement, type DatabaseObserver } from './observedDialect.mts';
import { PatientDialect } from './patientDialect.mts';
import { createPostgres } from './postgres.mts';
import type { Database, Tables } from './schema.mts';

/** In order. A migration that was released never changes. SEQUENCE is the type of a growing number. */
const MIGRATIONS: string[][] = [
	[
		`create table users (id text primary key, email text not null, address text not null unique,
			role text not null, created_date text not null)`,
		`create table api_keys (id text primary key, user_id text not null,
			hash text not null unique, created_date text not null, revoked_date text)`,
		`create table containers (seq SEQUENCE, id text not null unique, owner_id text not null,
			name text not null, folded_name text not null, created_date text not null,
			updated_date text not null, size bigint not null, file_count integer not null,
			rules text not null, files text not null, object text not null unique,
			seal text not null, master_key_id text not null, opens_used integer not null,
			revision integer not null)`,
		'create index containers_of_owner on containers (owner_id, seq)',
		'create index containers_of_master_key on containers (master_key_id)',
		`create table contacts (seq SEQUENCE, user_id text not null, address text not null,
			email text not null, fields text not null, created_date text not null,
			updated_date text not null, unique (user_id, address))`,
		'create index contacts_of_user on contacts (user_id, seq)',
		`create table events (seq SEQUENCE, owner_id text not null, created_date text not null,
			action text not null, container_id text not null, container_name text not null,
			"user" text not null, detail text not null)`,
		'create index events_of_owner on events (owner_id, seq)',
		'create index events_of_container on events (container_id, seq)',
		'create index events_by_date on events (created_date)',
		`create table codes (id text primary key, container_id text not null, address text not null,
			hash text not null, tries integer not null, expires_at bigint not null)`,
		'create index codes_of_address on codes (container_id, address)',
		`create table attempts (id text primary key, subject text not null, made_at bigint not null)`,
		'create index attempts_of_subject on attempts (subject, made_at)',
		`create table idempotency_keys (user_id text not null, key text not null,
			fingerprint text not null, holder text not null, lease_until bigint not null,
			response text, created_at bigint not null, primary key (user_id, key))`,
	],
	['alter table containers add column ended_day text'],
	[
		'alter table users add column disabled_date text',
		'alter table users add column closed_date text',
		"alter table api_keys add column name text not null default ''",
		"alter table api_keys add column scope text not null default 'all'",
		'alter table api_keys add column expires_date text',
		'alter table api_keys add column last_used_day text',
		'alter table containers add column held_date text',
	],
	[
		'drop index events_of_container',
		// SQLite can't take "not null" away from a column that is there.
		'alter table events rename column container_id to old_id',
		'alter table events rename column container_name to old_name',
		'alter table events add column container_id text',
		'alter table events add column container_name text',
		'update events set container_id = old_id, container_name = old_name',
		'alter table events drop column old_id',
		'alter table events drop column old_name',
		'create index events_of_container on events (container_id, seq)',
		'alter table events add column request_id text',
		'alter table events add column user_salt text',
		'alter table events add column user_commitment text',
		'alter table events add column detail_salt text',
		'alter table events add column detail_commitment text',
		'alter table events add column hash text',
		'alter table events add column mac text',
		'alter table events add column erasure text',
		`create table trails (owner_id text primary key, start_id bigint not null,
			start_hash text not null, end_id bigint not null, end_hash text not null,
			mac text not null)`,
		// The next start begins them: it has the key. Users who were erased left events.
		`insert into trails select id, newest, '', newest, '', '' from
			(select id from users union select owner_id from events) as owners,
			(select coalesce(max(seq), 0) as newest from events) as events_before`,
	],
	[
		`create table shown_pages (session_id text not null, file integer not null,
			page integer not null, form text not null, container_id text not null,
			owner_id text not null, container_name text not null, "user" text not null,
			ip text not null, country text, session_end bigint not null,
			primary key (session_id, file, page, form))`,
		'create index shown_pages_by_end on shown_pages (session_end)',
	],
	[
		`create table requests (seq SEQUENCE, id text not null unique, owner_id text not null,
			name text not null, folded_name text not null, created_date text not null,
			settings text not null, delivered integer not null, mac text not null)`,
		'create index requests_of_owner on requests (owner_id, seq)',
		'alter table containers add column request_id text',
		'alter table containers add column sender text',
		`create index containers_of_request on containers (request_id)
			where request_id is not null`,
	],
	[
		`create table recipients (
			container_seq bigint not null references containers (seq) on delete cascade,
			recipient text not null, owner_id text not null,
			primary key (container_seq, recipient))`,
		'create index recipients_of_owner on recipients (owner_id, recipient, container_seq)',
		// All containers are behind: what they name needs its normal form, which no database knows.
		'alter table containers add column indexed_seal text',
		`create index containers_behind on containers (owner_id, seq)
			where indexed_seal is distinct from substr(seal, 1, 18)`,
	],
];

/** Of SQLite, in the data folder. */
export const DATABASE_FILE = 'service.db';
const SQLITE_SEQUENCE = 'integer primary key autoincrement';
const POSTGRES_SEQUENCE = 'bigint generated always as identity primary key';
const LOCK = 4_742_001;
/** So long, PostgreSQL can be silent while it is waited for. */
const SILENT_MS = 60_000;

/** To be asked before a command opens it: SQLite would create one that is missing. */
export const hasDatabase = (url: string | undefined, folder: string) =>
	url !== undefined || existsSync(join(folder, DATABASE_FILE));

interface Watchers {
	/** Emits `commit` after each transaction in SQLite. */
	commits?: EventEmitter;
	observer?: DatabaseObserver;
}

export async function openDatabase(
	url: string | undefined,
	folder: string,
	{ commits, observer }: Watchers = {},
): Promise<Database> {
	const dialect =
		url === undefined ? await createSqlite(folder, commits) : await createPostgres(url, SILENT_MS);
	const database = observer ? createObserved(dialect, observer) : new Kysely<Tables>({ dialect });
	if (url === undefined) await migrate(database);
	else {
		// Some of the changes to a large database take longer than anything later on.
		const patient = new Kysely<Tables>({ dialect: await createPostgres(url) });
		await migrate(patient, url).finally(async () => await patient.destroy());
	}
	return database;
}

async function migrate(database: Database, url?: string): Promise<void> {
	// Processes that start together take turns.
	await database.transaction().execute(async (transaction) => {
		const run = async (text: string) => await sql.raw(text).execute(transaction);
		if (url !== undefined) await run(`select pg_advisory_xact_lock(${LOCK})`);
		await run('create table if not exists meta (name text primary key, value text not null)');
		await run("insert into meta values ('version', '0') on conflict do nothing");
		const meta = await transaction.selectFrom('meta').select('value').executeTakeFirstOrThrow();
		const version = Number(meta.value);
		if (version > MIGRATIONS.length) {
			throw new Error('The database was written by a newer version of the service.');
		}
		for (const statement of MIGRATIONS.slice(version).flat()) {
			await run(statement.replace('SEQUENCE', url ? POSTGRES_SEQUENCE : SQLITE_SEQUENCE));
		}
		await transaction
			.updateTable('meta')
			.set({ value: String(MIGRATIONS.length) })
			.execute();
	});
}

const createObserved = (dialect: Dialect, observer: DatabaseObserver) =>
	new Kysely<Tables>({
		dialect: new ObservedDialect(dialect, observer),
		log: (event) => observeStatement(observer, event),
	});

async function createSqlite(folder: string, commits?: EventEmitter): Promise<Dialect> {
	const { openSqlite } = await import('./sqlite.mts');
	return new PatientDialect({ database: openSqlite(join(folder, DATABASE_FILE), commits) });
}
