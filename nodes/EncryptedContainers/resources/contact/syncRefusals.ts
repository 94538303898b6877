import { UserError } from 'n8n-workflow';

import { listSome } from '../../../shared/parameters/values';
import { MAX_RECORDS } from '../commonOperations';
import type { SyncSettings } from './syncSettings';
import { SETTING_LABELS } from './syncSettings';

export function assertFewDeletions(missing: string[], total: number, settings: SyncSettings): void {
	if (missing.length > MAX_RECORDS) {
		throw new UserError(`n8n can handle at most ${MAX_RECORDS} deletions in one execution`, {
			description: `The input lacks ${missing.length} contacts. Nothing was changed. Check that the input is the whole table.`,
		});
	}
	if (settings.dryRun || missing.length * 100 <= settings.maxDeletions * total) return;
	const { deleteMissing, maxDeletions, dryRun } = SETTING_LABELS;
	throw new UserError(
		`"${deleteMissing}" would delete ${missing.length} of ${total} contacts, more than ${settings.maxDeletions}%`,
		{
			description: `Nothing was changed. It would delete ${listSome(missing)}. Check that the input is the whole table. To see all of them, turn on "${dryRun}". To delete so many, raise "${maxDeletions}" in the options.`,
		},
	);
}

/** Why no contact may be deleted. */
export function explainNoDeletions(failures: number, unseen: string[]): UserError | undefined {
	if (failures === 0 && unseen.length === 0) return undefined;
	const failed = `${failures === 1 ? 'an input item' : `${failures} input items`} failed`;
	const hidden = `the service does not show what was sent for ${listSome(unseen)}`;
	return new UserError(`No contacts were deleted, because ${failures > 0 ? failed : hidden}`, {
		description:
			'A contact that is missing from the input could be one of theirs, under another address. Correct what failed, compare the input with what Contact > Get Many returns, then run the workflow again.',
	});
}
