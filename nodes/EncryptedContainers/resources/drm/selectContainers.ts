import type { INodeProperties } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { ListEntry } from '../../../shared/api/lists';
import { parseChoice, parseShortText } from '../../../shared/parameters/scalars';
import { nameContainsOption } from '../../descriptions/commonOptions';
import { containerLocator } from '../../descriptions/locators';
import type { Item } from '../../execution/item';
import type { Call } from '../../execution/operation';
import { containerParam, parsePathParam } from '../../execution/pathParams';
import { CONTAINER_CHOICES } from './choices';
import { fetchContainers } from './containerJobs';

/** Which containers an item is about. */
export interface Selection {
	/** Undefined for all with a matching name. */
	containerId?: string;
	nameContains: string;
}

/** The fields of a selection. */
export function selectionFields(preset: 'all' | 'one'): INodeProperties[] {
	const hasAll = preset === 'all';
	return [
		{
			displayName: 'Containers',
			name: 'containers',
			type: 'options',
			options: CONTAINER_CHOICES.filter(({ value }) => hasAll || value !== 'all'),
			default: preset,
			description: 'Which containers to work on',
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
	const choice = parseChoice(item.getParameter('containers'), 'Containers', CONTAINER_CHOICES);
	if (choice === 'one') {
		return { containerId: parsePathParam(item, containerParam), nameContains: '' };
	}
	if (choice === 'all') return { nameContains: '' };
	const { displayName } = nameContainsOption;
	const nameContains = parseShortText(item.getParameter('nameContains'), displayName).trim();
	if (nameContains !== '') return { nameContains };
	throw new UserError(`"${displayName}" is empty`, {
		description: `All containers would be meant. Enter a part of their names in "${displayName}".`,
	});
}

export async function fetchSelected(
	call: Call,
	{ containerId, nameContains }: Selection,
): Promise<Array<Pick<ListEntry, 'id' | 'name'>>> {
	if (containerId !== undefined) return [{ id: containerId }];
	return await fetchContainers(call, nameContains);
}
