import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

/** In place of the content of a record that the first poll could not read. No content looks like it. */
export const NOT_READ = '?';

/** Contents by key. */
export type Known = Map<string, string>;

export interface PollState {
	/** What the last poll saw. */
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
 * Saves the state in one step, so that the static data never contains a part of it. n8n stores static data when it
 * activates the trigger and when the trigger emits; with its durable scheduler after each poll. After a restart, the
 * trigger only misses a record that was created since and changed or deleted while n8n was not running.
 */
export function saveState(staticData: IDataObject, key: string, state: PollState): void {
	staticData.saved = { ...state, key, known: Object.fromEntries(state.known) };
}

/** 72 bits of a text, as Base64. */
export function hash(text: string): string {
	return createHash('sha256').update(text).digest('base64').slice(0, 12);
}
