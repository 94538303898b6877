import type { ServerResponse } from 'node:http';
import { coalesce } from '../database/coalesce.mts';
import type { EventWatch } from '../database/eventWatch.mts';
import type { ListRow } from '../database/lists.mts';
import { ServiceError } from '../errors.mts';

const MAX_POLLS_OF_KEY = 1000;
const RETRY_AFTER_SECONDS = 25;
/** Long polls end together, at the next whole second. They share a check, and many at once take a third of the processor time. */
const END_MS = 1000;

type Rows = Array<ListRow<'events'>>;
type Settle = (outcome: { rows: Rows } | { error: Error }) => void;

/** What a client polls for. */
interface Poll {
	ownerId: string;
	/** The same for the same rows and the same API key. */
	subject: string;
	read: () => Promise<Rows>;
	/** Before each answer. @throws where the client may not read any more */
	check: () => Promise<void>;
}

/** A request that is answered when there is something. */
interface Waiter {
	/** The ID of the API key. */
	keyId: string;
	milliseconds: number;
	/** Closed where the client has gone. */
	response: ServerResponse;
}

interface Group {
	waiting: Set<Settle>;
	/** Reads once for all that wait. */
	poll: () => Promise<void>;
	check: () => Promise<void>;
	unsubscribe: () => void;
}

/** Long polling for events. Clients of one API key that poll for the same events share one query. */
export class LongPolls {
	private readonly groups = new Map<string, Group>();
	private readonly counts = new Map<string, number>();
	private isOver = false;

	constructor(private readonly watch: EventWatch) {}

	/**
	 * @returns the rows as soon as there are any; none after the time, where the client goes, and where the service stops
	 * @throws what the check throws
	 */
	async wait(poll: Poll, { keyId, milliseconds, response }: Waiter): Promise<Rows> {
		const count = this.counts.get(keyId) ?? 0;
		if (count >= MAX_POLLS_OF_KEY) throw tooManyPolls();
		this.counts.set(keyId, count + 1);
		try {
			return await this.join(poll, this.isOver ? 0 : untilEnd(milliseconds), response);
		} finally {
			const left = this.counts.get(keyId)! - 1;
			if (left === 0) this.counts.delete(keyId);
			else this.counts.set(keyId, left);
		}
	}

	/** How many wait. */
	get size(): number {
		let size = 0;
		for (const { waiting } of this.groups.values()) size += waiting.size;
		return size;
	}

	/** Answers all that wait, now and from now on. */
	end(): void {
		this.isOver = true;
		for (const { waiting } of this.groups.values()) {
			for (const settle of waiting) settle({ rows: [] });
		}
	}

	private async join(poll: Poll, milliseconds: number, response: ServerResponse): Promise<Rows> {
		const known = this.groups.get(poll.subject);
		const group = known ?? this.open(poll);
		return await new Promise<Rows>((resolve, reject) => {
			const giveUp = () => {
				const none = { rows: [] };
				group.check().then(
					() => settle(none),
					(error: Error) => settle({ error }),
				);
			};
			const timer = setTimeout(giveUp, milliseconds);
			const settle: Settle = (outcome) => {
				clearTimeout(timer);
				response.removeListener('close', giveUp);
				group.waiting.delete(settle);
				if (group.waiting.size === 0) this.close(poll, group);
				if ('error' in outcome) reject(outcome.error);
				else resolve(outcome.rows);
			};
			group.waiting.add(settle);
			response.once('close', giveUp);
			// A group that is known reads again after each event: it has missed none.
			if (known === undefined) void group.poll();
		});
	}

	private open({ ownerId, subject, read, check }: Poll): Group {
		const waiting = new Set<Settle>();
		const settleAll: Settle = (outcome) => {
			for (const settle of waiting) settle(outcome);
		};
		const poll = coalesce(async () => {
			try {
				const rows = await read();
				if (rows.length === 0) return;
				await check();
				settleAll({ rows });
			} catch (error) {
				settleAll({ error: error as Error });
			}
		});
		const unsubscribe = this.watch.subscribe(ownerId, () => void poll());
		const group = { waiting, poll, check: coalesce(check), unsubscribe };
		this.groups.set(subject, group);
		return group;
	}

	private close({ subject }: Poll, group: Group): void {
		group.unsubscribe();
		if (this.groups.get(subject) === group) this.groups.delete(subject);
	}
}

/** @returns how many milliseconds it is until long polls end together, after so many */
function untilEnd(milliseconds: number): number {
	const now = Date.now();
	return Math.ceil((now + milliseconds) / END_MS) * END_MS - now;
}

function tooManyPolls(): ServiceError {
	const message = `At most ${MAX_POLLS_OF_KEY} requests with an API key can wait for events.`;
	return new ServiceError(429, 'too_many_requests', message, { retryAfter: RETRY_AFTER_SECONDS });
}
