import type { IDataObject } from 'n8n-workflow';

import { hash } from './fingerprint';

const FORMAT = 1;
const KEY_LENGTH = 16;

/** A key for event, base URL, user and parameters: the state of one key can't be used for another. */
export function createStateKey(parts: unknown[]): string {
	return hash(JSON.stringify([FORMAT, ...parts]), KEY_LENGTH);
}

/** The texts that the last poll saved under the key, if any. */
export function loadState(staticData: IDataObject, key: string): string[] | undefined {
	const { memory } = staticData as { memory?: { key?: unknown; known?: unknown } };
	if (memory?.key !== key || !Array.isArray(memory.known)) return undefined;
	return memory.known.filter((entry): entry is string => typeof entry === 'string');
}

/**
 * Saves the state of a poll in one step, so that the static data never contains a part of it.
 *
 * n8n stores static data when it activates the trigger, also at each start, and when the trigger emits. After a restart,
 * the trigger only misses a record that was created since the last save and changed or deleted while n8n was not running.
 */
export function saveState(staticData: IDataObject, key: string, known: string[]): void {
	staticData.memory = { key, known };
}
