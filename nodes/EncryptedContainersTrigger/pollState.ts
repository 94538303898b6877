import type { IDataObject } from 'n8n-workflow';

import { hash } from './fingerprint';

const FORMAT = 1;
const KEY_LENGTH = 16;

/**
 * A name for what is watched. What was remembered under one name says nothing about another.
 *
 * @param watched event, base URL, user and whatever else decides on what is looked at
 */
export function createStateKey(watched: unknown[]): string {
	return hash(JSON.stringify([FORMAT, ...watched]), KEY_LENGTH);
}

/**
 * Reads what was remembered.
 *
 * @param staticData the node's static data
 * @param key what is watched
 * @returns the texts of the last poll, or undefined when there was none that watched the same
 */
export function loadState(staticData: IDataObject, key: string): string[] | undefined {
	const { memory } = staticData as { memory?: { key?: unknown; known?: unknown } };
	if (memory?.key !== key || !Array.isArray(memory.known)) return undefined;
	return memory.known.filter((entry): entry is string => typeof entry === 'string');
}

/**
 * Remembers in one step: the static data holds all of a poll, or nothing of it.
 *
 * n8n keeps static data in memory and saves it when the trigger is activated, which includes each start of n8n, and when
 * it emits. What a poll without events learned is therefore learned anew after a restart; only a record that appeared
 * since the last save and was changed or deleted while n8n was down goes unnoticed.
 *
 * @param staticData the node's static data
 * @param key what is watched
 * @param known the texts to remember
 */
export function saveState(staticData: IDataObject, key: string, known: string[]): void {
	staticData.memory = { key, known };
}
