import { UserError } from 'n8n-workflow';

import { extendError } from '../../shared/errors/errors';
import { takeBreak } from '../../shared/responses/takeBreak';
import type { Item } from './item';
import type { Job } from './operation';

export function linkToAll(parsed: Array<{ item: Item }>): Job['pairedItem'] {
	const links = parsed.map(({ item }) => ({ item: item.index }));
	return links.length === 1 ? links[0] : links;
}

/** @throws UserError with Execute Once, where n8n passes the first item only. `advice` is another way out. */
export function assertAllItems({ host }: Item, what: string, advice = ''): void {
	if (!host.node.executeOnce) return;
	throw new UserError(`${what} needs all input items, but "Execute Once" is on`, {
		description: `Nothing was sent. Turn off "Execute Once" in the node's settings${advice}.`,
	});
}

/** The first of all items. @throws UserError where they differ in the credential, or in a field of `common` */
export async function joinItems(
	rows: Array<{ item: Item; common: Record<string, unknown> }>,
): Promise<Item> {
	const [{ item: first, common: ofFirst }] = rows;
	const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
	for (const { item, common } of rows) {
		await takeBreak();
		const different = Object.keys(ofFirst).find((name) => !isSame(common[name], ofFirst[name]));
		const isSameCredential =
			item.client === first.client || isSame(item.client.connection, first.client.connection);
		if (isSameCredential && different === undefined) continue;
		const label = different ? item.execution.getLabel(different) : 'Credential to connect with';
		const message = `"${label}" of item ${item.index} differs from that of item ${first.index}`;
		const error = new UserError(message, {
			description:
				'Nothing was changed. The node treats all input items as one. Use the same value for all items, or split them into one execution for each value.',
		});
		throw extendError(error, { itemIndex: item.index });
	}
	return first;
}
