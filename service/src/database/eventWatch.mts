import { EventEmitter } from 'node:events';
import type { Client } from 'pg';
import { coalesce } from './coalesce.mts';
import type { Database } from './schema.mts';

/** Of PostgreSQL's LISTEN and NOTIFY. The text of a notification is the ID of the owner. */
export const EVENT_CHANNEL = 'events';
/** For what no commit and no notification told: another process on the same SQLite file, a connection that broke. */
const POLL_MS = 1000;
const CONNECT_MS = 10_000;

/** Tells whoever waits that an owner has new events, once they are committed, whichever process wrote them. */
export class EventWatch {
	private readonly owners = new EventEmitter().setMaxListeners(0);
	/** The last event of each owner that somebody waits for. */
	private readonly heads = new Map<string, number | null>();
	private listening?: Promise<Client | undefined>;
	private timer?: NodeJS.Timeout;

	/** @param commits emits `commit` after each transaction of this process @param url of PostgreSQL */
	constructor(
		private readonly database: Database,
		commits: EventEmitter,
		private readonly url?: string,
	) {
		commits.on('commit', () => void this.poll());
	}

	/** Calls back after a commit with events of the owner, and at times without any. @returns what ends it */
	subscribe(ownerId: string, onEvents: () => void): () => void {
		this.owners.on(ownerId, onEvents);
		this.keepPolling();
		return () => {
			this.owners.off(ownerId, onEvents);
			if (this.owners.listenerCount(ownerId) === 0) this.heads.delete(ownerId);
		};
	}

	private keepPolling(): void {
		if (this.timer !== undefined) return;
		const keep = () => {
			if (this.url !== undefined) this.listening ??= this.listen(this.url);
			void this.poll();
		};
		this.timer = setInterval(keep, POLL_MS).unref();
		keep();
	}

	private readonly poll = coalesce(async () => {
		const waiting = this.owners.eventNames() as string[];
		if (waiting.length === 0) return;
		// While the database can't be used, there is nothing to tell.
		const found = await this.readHeads(waiting).catch(() => []);
		for (const { id, head } of found) {
			if (this.heads.get(id) === head) continue;
			if (this.owners.listenerCount(id) > 0) this.heads.set(id, head);
			this.owners.emit(id);
		}
	});

	private async readHeads(ownerIds: string[]) {
		const users = this.database.selectFrom('users').select('id').where('id', 'in', ownerIds);
		const heads = users.select(({ selectFrom }) => {
			const events = selectFrom('events').whereRef('owner_id', '=', 'users.id');
			return events.select(({ fn }) => fn.max('seq').as('seq')).as('head');
		});
		return await heads.execute();
	}

	/** On a connection of its own. @returns nothing where it can't connect: it is tried again */
	private async listen(url: string): Promise<Client | undefined> {
		const { Client } = (await import('pg')).default;
		const client = new Client({
			connectionString: url,
			keepAlive: true,
			connectionTimeoutMillis: CONNECT_MS,
		});
		const end = () => {
			this.listening = undefined;
			client.removeListener('end', end);
			client.end().catch(() => undefined);
		};
		client.on('error', end).on('end', end);
		client.on('notification', ({ payload = '' }) => {
			if (this.owners.listenerCount(payload) > 0) void this.poll();
		});
		try {
			await client.connect();
			await client.query(`listen ${EVENT_CHANNEL}`);
			// What was committed before it.
			void this.poll();
			return client;
		} catch {
			end();
			return undefined;
		}
	}
}
