import { UserError } from 'n8n-workflow';

import { createInputError } from '../../../shared/errors/nodeErrors';
import { assertAllItems, isAgent } from '../../execution/allItems';
import type { Item } from '../../execution/item';
import type { Call } from '../../execution/operation';
import { MAX_RECORDS } from '../commonOperations';
import type { SyncSettings } from './syncSettings';
import { SETTINGS } from './syncSettings';

/** How many contacts a message names. */
const MAX_NAMED = 5;

/** @throws UserError where the item can't be the whole table */
export function assertWholeTable(item: Item, { dryRun, deleteMissing }: SyncSettings): void {
	if (isAgent(item) && !dryRun) {
		throw new UserError('Sync needs all contacts at once, but an agent calls it for one', {
			description: `Nothing was changed. Use the operation Create or Update as the tool, or turn on "${SETTINGS.dryRun.displayName}" to only compare.`,
		});
	}
	const { displayName } = SETTINGS.deleteMissing;
	if (deleteMissing) assertAllItems(item, `"${displayName}"`, `, or turn off "${displayName}"`);
}

export function createDuplicatesError({ item }: Call, email: string, items: number[]): Error {
	const [message, details] = describeDuplicates(email, items);
	return createInputError(item.host.context.getNode(), {
		message,
		...details,
		itemIndex: items[1],
	});
}

export function describeDuplicates(
	email: string,
	items: number[],
): [string, { description: string }] {
	const listed = `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;
	return [
		`The items ${listed} have the same address, "${email}"`,
		{
			description:
				'Nothing was sent for them. Remove the duplicates from the input, for example with a Remove Duplicates node. Capitals make no difference in an address.',
		},
	];
}

export function assertFewDeletions(missing: string[], total: number, settings: SyncSettings): void {
	const { deleteMissing, maxDeletions, dryRun } = SETTINGS;
	if (missing.length > MAX_RECORDS) {
		throw new UserError(`n8n can handle at most ${MAX_RECORDS} deletions in one execution`, {
			description: `The input lacks ${missing.length} contacts. Nothing was changed. Check that the input is the whole table.`,
		});
	}
	if (settings.dryRun || missing.length * 100 <= settings.maxDeletions * total) return;
	const others = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
	throw new UserError(
		`"${deleteMissing.displayName}" would delete ${missing.length} of ${total} contacts, more than ${settings.maxDeletions}%`,
		{
			description: `Nothing was changed. It would delete ${missing.slice(0, MAX_NAMED).join(', ')}${others}. Check that the input is the whole table. To see all of them, turn on "${dryRun.displayName}". To delete so many, raise "${maxDeletions.displayName}" in the options.`,
		},
	);
}

/** Why no contact may be deleted. */
export function findDeletionProblem(
	unknownCount: number,
	failures: number,
	unseen: string[],
): UserError | undefined {
	if (unknownCount > 0) {
		return new UserError(
			`No contacts were deleted, because ${unknownCount === 1 ? 'an input item has' : `${unknownCount} input items have`} no valid email address`,
			{
				description: `Any of the contacts could be ${unknownCount === 1 ? 'its own' : 'theirs'}. Correct the address, then run the workflow again.`,
			},
		);
	}
	if (failures === 0 && unseen.length > 0) {
		return new UserError(
			`No contacts were deleted, because the service does not show what was sent for ${unseen.slice(0, MAX_NAMED).join(', ')}`,
			{
				description:
					'The service may have ignored it, or saved it under another address, which the input lacks. Compare the input with what Contact > Get Many returns, then run the workflow again.',
			},
		);
	}
	if (failures === 0) return undefined;
	return new UserError(
		`No contacts were deleted, because ${failures === 1 ? 'an input item' : `${failures} input items`} failed`,
		{
			description:
				'A contact that is missing from the input could be one of theirs, with its old address. Correct what failed, then run the workflow again.',
		},
	);
}
