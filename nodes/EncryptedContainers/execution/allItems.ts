import { UserError } from 'n8n-workflow';

import { numberOption } from '../../shared/descriptions/options';
import { extendError } from '../../shared/errors/errors';
import { takeBreak } from '../../shared/responses/takeBreak';
import { dryRunField } from '../descriptions/commonFields';
import type { Item } from './item';
import type { Job } from './operation';

/** So many are no sign of an incomplete table. */
const ALWAYS_ALLOWED = 2;

export function linkToAll(parsed: Array<{ item: Item }>): Job['pairedItem'] {
	const links = parsed.map(({ item }) => ({ item: item.index }));
	return links.length === 1 ? links[0] : links;
}

/** @throws UserError where many records would change for an agent: a model decides what its item contains */
export function parseDryRun(item: Item, { canChange } = { canChange: true }): boolean {
	const { displayName: label } = dryRunField;
	const dryRun = item.read(dryRunField);
	if (dryRun || !canChange || !item.isTool) return dryRun;
	throw new UserError(`As a tool, this operation needs "${label}"`, {
		description: `Nothing was changed: it could change many records at once. Turn on "${label}", or use an operation that changes one record, such as Update.`,
	});
}

/** Bounds what is removed because no item has it. @param what is too much, after "if it" */
export function percentOption([displayName, name]: [string, string], what: string) {
	const description = `The node fails, and changes nothing, if it ${what}. Two are always allowed.`;
	return numberOption([displayName, name, 20], [0, 100], description);
}

interface Removal {
	removed: unknown[];
	all: unknown[];
	maxPercent: number;
	message: string;
	description: string;
}

/** Refuses to remove too many. A dry run only says so. */
export function refuseTooMany(item: Item, removal: Removal): void {
	const { removed, all, maxPercent, message, description } = removal;
	if (removed.length <= ALWAYS_ALLOWED || removed.length * 100 <= maxPercent * all.length) return;
	if (!parseDryRun(item)) throw new UserError(message, { description });
	item.execution.addHint(`Without "${dryRunField.displayName}", the node would fail: ${message}.`);
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
				'Nothing was changed. The node compares all input items together. Use the same value for all items, or split them into one execution for each value.',
		});
		throw extendError(error, { itemIndex: item.index });
	}
	return first;
}
