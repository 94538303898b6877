import { createHash } from 'crypto';
import { UserError, type IDataObject } from 'n8n-workflow';

/** n8n reads and writes what it stores for a trigger as a whole. */
const MAX_BYTES = 5_000_000;

/** In place of the content of a record that the first poll could not read. No content looks like it. */
export const NOT_READ = '?';

export type Known = Map<string, string>;

export interface PollState {
	/** What the last poll saw: contents by key. */
	known: Known;
	/** Where the next poll continues: the ID of the last event, or the key of the last container whose rules were read. */
	readUntil?: string;
}

export function loadState(staticData: IDataObject, key: string): PollState | undefined {
	const { saved } = staticData as { saved?: IDataObject };
	if (saved?.key !== key) return undefined;
	const known = new Map(Object.entries(saved.known as Record<string, string>));
	return { known, readUntil: saved.readUntil as string | undefined };
}

/**
 * Saves the state in one step, so that the static data never contains a part of it. @throws UserError when it is too large
 *
 * n8n stores static data when it activates the trigger, also at each start, and when the trigger emits; with its durable
 * scheduler after each poll. After a restart, the trigger only misses a record that was created since the last save and
 * changed or deleted while n8n was not running.
 */
export function saveState(staticData: IDataObject, key: string, state: PollState): void {
	const saved = { ...state, key, known: Object.fromEntries(state.known) };
	if (Buffer.byteLength(JSON.stringify(saved)) > MAX_BYTES) {
		throw new UserError("The trigger can't store what it knows: it is more than 5 MB", {
			description: `n8n stores with the workflow what the trigger knows of ${state.known.size} containers or contacts. Watch fewer of them: enter "Name Contains" where the event has it, turn off "Include Previous Rules", or use the API key or "User ID" of a user who has fewer.`,
		});
	}
	staticData.saved = saved;
}

/** A short hash of a text, as Base64. With 48 bits, one change in 280,000,000,000,000 is missed. */
export function hash(text: string, length = 8): string {
	return createHash('sha256').update(text).digest('base64').slice(0, length);
}
