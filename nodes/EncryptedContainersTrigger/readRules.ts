import { fetchRules } from '../shared/api/drmRules';
import { hasStatus, isNotFound } from '../shared/errors/serviceError';
import { listSome } from '../shared/parameters/values';
import type { Poll } from './createPoll';
import type { Content, ListEvent, WatchedEntry } from './types';

/** By key; undefined for those that the event is not about. */
export type Contents = Map<string, Content | undefined>;

/** Containers whose rules a test reads: a person waits for it. */
const MAX_SAMPLE_RULES = 50;

/**
 * Reads the rules of as many containers as there is time for: the next poll continues after `readUntil`. A failure costs
 * only itself; a container that was deleted meanwhile is none.
 *
 * @throws where the rules of no container can be read
 */
export async function readRules(poll: Poll, event: ListEvent, watched: WatchedEntry[]) {
	const { ending, isSample, state } = poll;
	const start = watched.findIndex(({ key }) => key === state?.readUntil) + 1;
	const rotated = [...watched.slice(start), ...watched.slice(0, start)];
	const order = isSample ? watched.slice(0, MAX_SAMPLE_RULES) : rotated;
	const contents: Contents = new Map();
	const failures = new Map<WatchedEntry, Error>();
	const settled = new Set<WatchedEntry>();
	const read = async (entry: WatchedEntry) => {
		try {
			contents.set(entry.key, await readContent(poll, event, entry));
		} catch (error) {
			// All other requests would fail as well. What was read counts.
			if (hasStatus(error, 401) || hasStatus(error, 429)) ending.abort(error);
			if (ending.signal.aborted) return;
			if (!isNotFound(error)) failures.set(entry, error as Error);
		}
		settled.add(entry);
	};
	await Promise.all(order.map(read));
	const [failure] = [ending.signal.reason as unknown, ...failures.values()].filter(Boolean);
	if (contents.size === 0 && failure !== undefined) throw failure;
	if (failures.size > 0) warnOf(poll, failures, order.length);
	const rest = order.findIndex((entry) => !settled.has(entry));
	const readUntil = rest === -1 ? undefined : (order[rest - 1]?.key ?? state?.readUntil);
	return { contents, readUntil };
}

async function readContent(poll: Poll, event: ListEvent, entry: WatchedEntry) {
	const { client, parameters, state } = poll;
	const { key, id: containerId, name } = entry;
	const rules = await fetchRules(client, containerId);
	// Before anything of them is saved.
	await client.redact([rules]);
	const found = event.toContent({ ...entry, rules }, parameters, state?.known[key]);
	const { toItem } = found ?? {};
	if (found === undefined || toItem === undefined) return found;
	const container = name === undefined ? { containerId } : { containerId, name };
	return { ...found, toItem: (saved?: string) => ({ ...container, ...toItem(saved), rules }) };
}

function warnOf({ warn }: Poll, failures: Map<WatchedEntry, Error>, total: number): void {
	const [{ message }] = failures.values();
	const names = [...failures.keys()].map(({ id, name }) => (name ? `"${name}" (${id})` : id));
	warn(
		`The access rules of ${failures.size} of ${total} containers could not be read (${message}). The trigger goes on without ${listSome(names)}`,
	);
}
