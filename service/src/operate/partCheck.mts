import { setTimeout as sleep } from 'node:timers/promises';
import type { Vault } from '../containers/vault.mts';

/** However often somebody asks, the parts are asked once in this time. */
const KEPT_MS = 1000;
/** A timer can be early by less than two milliseconds. */
const WAIT_MS = KEPT_MS + 2;
const PART_MS = 3000;
/** Longer than the time between two checks: an outage can end just before the one that would have found it. */
const RECENT_MS = 2 * KEPT_MS;

export interface PartState {
	part: string;
	/** Nothing where all is well. */
	failure?: string;
}

/** Knows whether the parts work that the service needs. */
export class PartCheck {
	private newest?: { begin: number; states: Promise<PartState[]> };
	private failedAt = -Infinity;

	/** @param ask asks each part */
	constructor(private readonly ask: () => Promise<PartState[]>) {}

	/** What was found in the last second, or is found now. */
	async read(): Promise<PartState[]> {
		if (this.newest === undefined || isOld(this.newest)) {
			this.newest = { begin: performance.now(), states: this.check() };
		}
		return await this.newest.states;
	}

	/**
	 * Whether a part was gone while something ran that has failed now, or shortly before. Where all was well, that can have
	 * been before the outage: whoever asks waits for the next check, so that many failures are no more checks.
	 * @param begin when it began to run, by performance.now()
	 */
	async hasFailedSince(begin: number): Promise<boolean> {
		const end = performance.now();
		// Also during an outage: so somebody always finds out how long it lasts.
		await this.read();
		const earliest = begin - RECENT_MS;
		if (this.failedAt >= earliest) return true;
		const { begin: checked } = this.newest!;
		if (checked < end) await sleep(Math.max(0, checked + WAIT_MS - performance.now()));
		await this.read();
		return this.failedAt >= earliest;
	}

	private async check(): Promise<PartState[]> {
		const states = await this.ask();
		if (states.some(({ failure }) => failure !== undefined)) this.failedAt = performance.now();
		return states;
	}
}

const isOld = ({ begin }: { begin: number }) => performance.now() - begin >= KEPT_MS;

export async function checkParts({ database, storage, keys }: Vault): Promise<PartState[]> {
	const newest = database.selectFrom('containers').select('master_key_id').orderBy('seq', 'desc');
	let container: { master_key_id: string } | undefined;
	const checkDatabase = async () => {
		container = await newest.executeTakeFirst();
		// Changes nothing. A database that can only be read, such as a standby, refuses it.
		await database.updateTable('meta').set({ value: '' }).where('name', '=', '').execute();
	};
	const stores = await Promise.all([
		checkPart('database', checkDatabase),
		checkPart('storage', async () => await storage.check()),
	]);
	// After the database: one that hangs says nothing about the key.
	const checkKey = async () => {
		keys.current();
		if (container && !keys.find(container.master_key_id)) throw new Error('It is another key');
	};
	return [...stores, await checkPart('master key', checkKey)];
}

async function checkPart(part: string, check: () => Promise<unknown>): Promise<PartState> {
	const beLate = async () => {
		await sleep(PART_MS, undefined, { ref: false });
		throw Object.assign(new Error('No answer in time'), { code: 'ETIMEDOUT' });
	};
	try {
		await Promise.race([check(), beLate()]);
		return { part };
	} catch (error) {
		// The words of a database or a mail server can hold addresses and passwords.
		const { code } = error as NodeJS.ErrnoException;
		return { part, failure: `failed${code ? ` (${code})` : ''}` };
	}
}
