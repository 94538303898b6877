import { UserError } from 'n8n-workflow';

import { numberOption } from '../../shared/descriptions/options';
import { dryRunField } from '../descriptions/commonFields';
import type { Item } from './item';

// What keeps an operation from changing more records than somebody meant.

/** So many are no sign of an incomplete table. */
const ALWAYS_ALLOWED = 2;

/** @throws UserError where many records would change for an agent: a model decides what its item contains */
export function parseDryRun(item: Item, { canChange } = { canChange: true }): boolean {
	const { displayName: label } = dryRunField;
	const dryRun = item.read(dryRunField);
	if (dryRun || !canChange || !item.isTool) return dryRun;
	throw new UserError(`As a tool, this operation needs "${label}"`, {
		description: `Nothing was changed: it could change many records at once. Turn on "${label}", or use an operation that changes one record, such as Update.`,
	});
}

/** Bounds what one execution takes away: `refuseTooMany` keeps to it. */
export function percentOption([displayName, name]: [string, string], description: string) {
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
