import type { INodeProperties } from 'n8n-workflow';

import { userIdOption } from '../../../shared/descriptions/options';
import { parseBoolean, parseInteger, parseOption } from '../../../shared/parameters/scalars';
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

/** The fields of the settings. */
export const SETTINGS = {
	deleteMissing: {
		displayName: 'Delete Missing Contacts',
		name: 'deleteMissing',
		type: 'boolean',
		default: false,
		description:
			"Whether to permanently delete the user's contacts that no input item has. The input must be the whole table.",
		// A call of an agent has one item, never the whole table.
		displayOptions: { show: { '@tool': [false] } },
	},
	maxDeletions: {
		displayName: 'Max Deletions (%)',
		name: 'maxDeletions',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 100, numberPrecision: 0 },
		default: 10,
		description:
			'If more than this percentage of the contacts would be deleted, the node changes nothing and fails',
	},
	dryRun: {
		displayName: 'Dry Run',
		name: 'dryRun',
		type: 'boolean',
		default: false,
		description: 'Whether to only return what would be done, without changing any contact',
	},
} satisfies Record<string, INodeProperties>;

export const SETTING_LABELS: Record<keyof SyncSettings, string> = {
	userId: userIdOption.displayName,
	deleteMissing: SETTINGS.deleteMissing.displayName,
	maxDeletions: SETTINGS.maxDeletions.displayName,
	dryRun: SETTINGS.dryRun.displayName,
};

/** @throws UserError for a value that can't be used */
export function getSyncSettings(item: Item): SyncSettings {
	const { deleteMissing, maxDeletions, dryRun } = SETTINGS;
	const options = item.getOptions();
	return {
		userId: item.getPathParams().userId,
		deleteMissing: parseBoolean(
			item.getParameter(deleteMissing.name, deleteMissing.default),
			deleteMissing.displayName,
		),
		maxDeletions: parseOption(options, maxDeletions.name, maxDeletions.default, (value) =>
			parseInteger(value, maxDeletions.displayName, 0, 100),
		),
		dryRun: parseOption(options, dryRun.name, dryRun.default, (value) =>
			parseBoolean(value, dryRun.displayName),
		),
	};
}
