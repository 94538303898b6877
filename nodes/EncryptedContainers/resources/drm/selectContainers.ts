import type { INodeProperties } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { nameContainsOption } from '../../../shared/descriptions/options';
import { parseBoolean, parseOption, parseShortText } from '../../../shared/parameters/scalars';
import { dryRunOption } from '../../descriptions/commonFields';
import { containerLocator } from '../../descriptions/locators';
import type { Item } from '../../execution/item';
import { containerParam, parsePathParam } from '../../execution/pathParams';
import { getNamePart } from '../commonOperations';
import { containersField, parseChoiceField } from './choices';

/** Which containers an item is about. */
export interface Selection {
	/** Undefined for all with a matching name. */
	containerId?: string;
	nameContains: string;
}

export const { displayName: NAME_LABEL } = nameContainsOption;

/** The fields of a selection. */
export function selectionFields(preset: 'all' | 'one'): INodeProperties[] {
	return [
		{
			...containersField,
			options: containersField.options.filter(({ value }) => preset === 'all' || value !== 'all'),
			default: preset,
		},
		{ ...containerLocator, displayOptions: { show: { containers: ['one'] } } },
		{
			...nameContainsOption,
			required: true,
			displayOptions: { show: { containers: ['byName'] } },
		},
	];
}

/** @throws UserError for a selection that can't be used */
export function parseSelection(item: Item): Selection {
	const choice = parseChoiceField(item, containersField);
	if (choice === 'one') {
		return { containerId: parsePathParam(item, containerParam), nameContains: '' };
	}
	if (choice === 'all') return { nameContains: '' };
	const nameContains = parseShortText(item.getParameter('nameContains'), NAME_LABEL).trim();
	if (nameContains !== '') return { nameContains };
	throw new UserError(`"${NAME_LABEL}" is empty`, {
		description: `All containers would be meant. Enter a part of their names in "${NAME_LABEL}".`,
	});
}

export function parseNameOption(item: Item): Selection {
	return { nameContains: getNamePart(item) };
}

export function parseDryRun(item: Item): boolean {
	return parseOption(item.getOptions(), 'dryRun', false, (value) =>
		parseBoolean(value, dryRunOption.displayName),
	);
}
