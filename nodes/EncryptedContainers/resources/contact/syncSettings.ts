import type { INodeProperties } from 'n8n-workflow';

import { userIdOption } from '../../../shared/descriptions/options';
import { parseBoolean, parseInteger, parseOption } from '../../../shared/parameters/scalars';
import { dryRunOption } from '../../descriptions/commonFields';
import { assertAllItems, parseDryRun } from '../../execution/allItems';
import type { Item } from '../../execution/item';

/** What applies to all items of a sync. */
export interface SyncSettings {
	/** Undefined for the user of the API key. */
	userId?: string;
	deleteMissing: boolean;
	/** Percent of the contacts there are. */
	maxDeletions: number;
	dryRun: boolean;
}

export const deleteMissingField: INodeProperties = {
	displayName: 'Delete Missing Contacts',
	name: 'deleteMissing',
	type: 'boolean',
	default: false,
	description:
		"Whether to permanently delete the user's contacts that no input item has. The input must be the whole table.",
	// A call of an agent has one item, never the whole table.
	displayOptions: { show: { '@tool': [false] } },
};

export const maxDeletionsOption: INodeProperties = {
	displayName: 'Max Deletions (%)',
	name: 'maxDeletions',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 100, numberPrecision: 0 },
	default: 10,
	description:
		'If more than this percentage of the contacts would be deleted, the node changes nothing and fails',
};

export const SETTING_LABELS: Record<keyof SyncSettings, string> = {
	userId: userIdOption.displayName,
	deleteMissing: deleteMissingField.displayName,
	maxDeletions: maxDeletionsOption.displayName,
	dryRun: dryRunOption.displayName,
};

/** @throws UserError for a value that can't be used, and where the item can't be the whole table */
export function getSyncSettings(item: Item): SyncSettings {
	const options = item.getOptions();
	const labels = SETTING_LABELS;
	const settings: SyncSettings = {
		userId: item.getPathParams().userId,
		deleteMissing: parseBoolean(item.getParameter('deleteMissing', false), labels.deleteMissing),
		maxDeletions: parseOption(options, 'maxDeletions', 10, (value) =>
			parseInteger(value, labels.maxDeletions, 0, 100),
		),
		dryRun: parseDryRun(item),
	};
	const label = labels.deleteMissing;
	if (settings.deleteMissing) assertAllItems(item, `"${label}"`, `, or turn off "${label}"`);
	return settings;
}
