/** Triggers whose IDs are kept. */
const MAX_TRIGGERS = 100;

/** What the last poll of each trigger in this process has seen: the ID of a record, by its key. */
const seen = new Map<string, Map<string, string>>();

/**
 * The IDs of records of which the state contains only hashes: to ask for one that is missing from the list. Kept in
 * memory only. Where one is not known, after a restart, its record counts as existing.
 */
export function getSeenIds(trigger: string): Map<string, string> {
	return seen.get(trigger) ?? new Map<string, string>();
}

export function setSeenIds(trigger: string, ids: Map<string, string>): void {
	seen.delete(trigger);
	seen.set(trigger, ids);
	const [oldest] = seen.keys();
	if (seen.size > MAX_TRIGGERS) seen.delete(oldest);
}
