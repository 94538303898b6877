import type { IDataObject } from 'n8n-workflow';

import { hash } from './fingerprint';

const FORMAT = 2;
const KEY_LENGTH = 16;

/** In place of the content of a record that the first poll had no time for. No date and no hash looks like it. */
export const NOT_READ = '?';

/** What a poll saves of a container or contact. */
export interface KnownRecord {
	id: string;
	/** The text to compare, or NOT_READ. */
	content: string;
}

/** What a poll saves for the next one. */
export interface PollState {
	known: KnownRecord[];
	/** Where the last poll ran out of time: the last ID that it read, in the order of the IDs. */
	readUntil?: string;
	/** Whether the last poll found no rules of any container. */
	hasNoRules: boolean;
}

/** A key for event, base URL, user and parameters: the state of one key can't be used for another. */
export function createStateKey(parts: unknown[]): string {
	return hash(JSON.stringify([FORMAT, ...parts]), KEY_LENGTH);
}

/** The state that the last poll saved under the key, if any. */
export function loadState(staticData: IDataObject, key: string): PollState | undefined {
	const { memory } = staticData as { memory?: IDataObject };
	if (memory?.key !== key || !Array.isArray(memory.known)) return undefined;
	const texts = memory.known.map(String);
	const known: KnownRecord[] = [];
	for (let index = 0; index < texts.length; index += 2) {
		known.push({ id: texts[index], content: texts[index + 1] });
	}
	return {
		known,
		readUntil: memory.readUntil as string | undefined,
		hasNoRules: memory.hasNoRules === true,
	};
}

/**
 * Saves the state of a poll in one step, so that the static data never contains a part of it.
 *
 * n8n stores static data when it activates the trigger, also at each start, and when the trigger emits; with its durable
 * scheduler after each poll. After a restart, the trigger only misses a record that was created since the last save and
 * changed or deleted while n8n was not running.
 */
export function saveState(staticData: IDataObject, key: string, state: PollState): void {
	// Half the size of objects.
	const known = state.known.flatMap(({ id, content }) => [id, content]);
	staticData.memory = { ...state, key, known };
}
