import { OperationalError } from 'n8n-workflow';

import { CONTAINER_LIST, fetchEntries } from '../../../shared/api/lists';
import type { ListEntry, ListOptions } from '../../../shared/api/lists';
import {
	CONTAINERS_BY_RECIPIENT,
	findsRecipients,
	listMatched,
	toRecipientQuery,
} from '../../../shared/api/recipientFilter';
import { readRules } from '../../../shared/api/shownRules';
import { isNotFound } from '../../../shared/errors/errors';
import { assertAddress, cleanAddress, getEmail } from '../../../shared/parameters/addresses';
import { parseShortText, shorten } from '../../../shared/parameters/values';
import { recipientOption } from '../../../shared/descriptions/options';
import type { Item } from '../../execution/item';

/** Whose rules are read before it is known whether they are enough for the limit. */
const AT_ONCE = 100;

/** An address or a wildcard; undefined where the option isn't used. @throws UserError */
export function parseRecipient(item: Item): string | undefined {
	const { displayName: label } = recipientOption;
	if (!item.has(recipientOption)) return undefined;
	const text = parseShortText(getEmail(item.evaluate(recipientOption)), label);
	const recipient = cleanAddress(text);
	assertAddress(recipient, label, `Enter one address or wildcard in "${label}", or remove it.`);
	return recipient;
}

/** The containers that a recipient can open, or that have a wildcard. Each entry says in `matched` by which recipients. */
export async function fetchByRecipient(
	item: Item,
	recipient: string,
	list: ListOptions,
): Promise<ListEntry[]> {
	const { client } = item;
	const userId = await item.getUserId();
	const { query = [], matches, limit } = list;
	if (await findsRecipients(client)) {
		const filtered = { ...list, query: toRecipientQuery(query, recipient) };
		return await fetchEntries(client, CONTAINERS_BY_RECIPIENT, userId, filtered);
	}
	const all = await fetchEntries(client, CONTAINER_LIST, userId, { query, matches });
	return await filterByRules(item, all, { recipient, limit });
}

/** As the service would do it: by reading the rules of one container after the other. */
async function filterByRules(
	item: Item,
	entries: ListEntry[],
	{ recipient, limit = Infinity }: { recipient: string; limit?: number },
): Promise<ListEntry[]> {
	const found: ListEntry[] = [];
	let count = 0;
	while (count < entries.length && found.length < limit) {
		const some = entries.slice(count, count + AT_ONCE);
		const read = some.map(async (entry) => await addMatched(item, entry, recipient));
		found.push(...(await Promise.all(read)).flat());
		count += some.length;
	}
	const what = count === 1 ? 'container' : 'containers';
	item.execution.addHint(
		`The service can't find containers by recipient, so the node read the rules of ${count} ${what}.`,
	);
	return found.slice(0, limit);
}

/** Empty for one that the recipient can't open, or that was deleted meanwhile. */
async function addMatched({ client, timeZone }: Item, entry: ListEntry, recipient: string) {
	const { id, name = '', record } = entry;
	const reading = readRules(client, id, { timeZone, needsRecipients: true });
	const shown = await reading.catch((error: unknown) => {
		if (!isNotFound(error)) throw error;
	});
	if (shown === undefined) return [];
	if ('recipients' in shown.unclear) {
		throw new OperationalError(
			'The service shows recipients in a form that the node does not read',
			{
				description: `Remove "${recipientOption.displayName}" from the options: nobody can tell which containers are meant. One of them is "${shorten(name)}" (${id}).`,
			},
		);
	}
	const matched = listMatched(shown.rules.recipients ?? [], recipient);
	return matched.length === 0 ? [] : [{ ...entry, record: { ...record, matched } }];
}
