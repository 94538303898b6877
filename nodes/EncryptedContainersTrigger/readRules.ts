import { fetchRules } from '../shared/api/drmRules';
import { takeBreak } from '../shared/client/delay';
import { hasStatus, isNotFound } from '../shared/errors/nodeErrors';
import { listSome } from '../shared/parameters/values';
import type { Poll } from './createPoll';
import type { ListEvent, Reading, WatchedEntry } from './types';

/** Items of a test, and containers whose rules it reads: a person waits for it. */
export const MAX_SAMPLE_ITEMS = 5;
export const MAX_SAMPLE_RULES = 50;

/** After so many failures, the poll ends: the others wait for the next one, and not for the end of an outage. */
const MAX_FAILURES = 10;

/**
 * Reads the rules of as many containers as there is time for: the next poll continues with the others. A failure costs only
 * itself; a container that was deleted meanwhile is none.
 *
 * @throws NodeApiError when the rules of no container can be read
 */
export async function readRules(poll: Poll, event: ListEvent, watched: WatchedEntry[]) {
	const { ending, isSample, parameters, state } = poll;
	const order = isSample ? watched.slice(0, MAX_SAMPLE_RULES) : rotate(watched, state?.readUntil);
	const contents: Reading['contents'] = new Map();
	const failures = new Map<WatchedEntry, Error>();
	const settled = new Set<WatchedEntry>();
	let found = 0;
	const isEnough = () => failures.size >= MAX_FAILURES || (isSample && found >= MAX_SAMPLE_ITEMS);
	const queue = order.values();
	const work = async () => {
		for (const entry of queue) {
			if (ending.signal.aborted || isEnough()) return;
			try {
				const content = await readContent(poll, event, entry);
				contents.set(entry.key, content);
				if (content !== undefined && !content.isSilent) found += 1;
			} catch (error) {
				// All other requests would fail as well. What was read counts.
				if (hasStatus(error, '401') || hasStatus(error, '429')) ending.abort(error);
				if (ending.signal.aborted) return;
				if (!isNotFound(error)) failures.set(entry, error as Error);
			}
			settled.add(entry);
			await takeBreak();
		}
	};
	await Promise.all(Array.from({ length: Math.min(parameters.maxConcurrent, order.length) }, work));
	const [failure] = [ending.signal.reason as unknown, ...failures.values()].filter(Boolean);
	if (contents.size === 0 && failure !== undefined) throw failure;
	if (failures.size > 0) warnOf(poll, failures, order.length);
	const isRead = ({ key }: WatchedEntry) => contents.has(key);
	const rest = order.findIndex((entry) => !settled.has(entry));
	return {
		contents: new Map(watched.filter(isRead).map(({ key }) => [key, contents.get(key)])),
		unread: order.filter((entry) => !isRead(entry)).map(({ key }) => key),
		readUntil: rest === -1 ? undefined : (order[rest - 1]?.key ?? state?.readUntil),
	};
}

async function readContent(poll: Poll, event: ListEvent, entry: WatchedEntry) {
	const { client, parameters, state, isSample } = poll;
	const { key, id, name } = entry;
	const rules = await fetchRules(client, id);
	// Before anything of them is saved.
	await client.redact([rules]);
	if (isSample && Object.keys(rules).length === 0) return undefined;
	const saved = state?.known.get(key);
	const content = event.toContent({ ...entry, rules }, parameters, saved);
	if (content === undefined) return undefined;
	const container = { containerId: id, ...(name === undefined ? {} : { name }) };
	// The rules of all other containers would take much memory.
	if (content.content === saved) return { ...content, toItem: () => container };
	const toItem = (before?: string) => ({ ...container, ...content.toItem(before), rules });
	return { ...content, toItem };
}

function warnOf(poll: Poll, failures: Map<WatchedEntry, Error>, total: number): void {
	const [[, { message }]] = failures;
	const names = [...failures.keys()].map(({ id, name }) => (name ? `"${name}" (${id})` : id));
	poll.warn(
		`The access rules of ${failures.size} of ${total} containers could not be read (${message}). The trigger goes on without ${listSome(names)}`,
	);
}

/** Sorted by key, with those after `readUntil` first: a constant order, whatever that of the list. */
function rotate(entries: WatchedEntry[], readUntil = ''): WatchedEntry[] {
	const sorted = [...entries].sort((a, b) => (a.key < b.key ? -1 : 1));
	const start = sorted.findIndex(({ key }) => key > readUntil);
	return start === -1 ? sorted : [...sorted.slice(start), ...sorted.slice(0, start)];
}
