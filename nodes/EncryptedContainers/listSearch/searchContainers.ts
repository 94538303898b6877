import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { findCreation } from '../../shared/api/creation';
import { CONTAINER_LIST } from '../../shared/api/lists';
import { getContainerIdentity } from '../../shared/api/records';
import type { Picker } from './searchList';
import { searchList } from './searchList';

/**
 * Lists the containers to choose from, the newest first where the service shows dates: by name, with the start of the ID
 * and the date to distinguish equal names.
 */
export async function searchContainers(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, picker, filter);
}

const picker: Picker = {
	list: CONTAINER_LIST,
	manualMode: 'By ID',
	toChoice(record) {
		const { id, name } = getContainerIdentity(record);
		if (id === undefined) return undefined;
		const { day, time } = findCreation(record) ?? {};
		const details = [name === undefined ? undefined : shortenId(id), day].filter(Boolean);
		const suffix = details.length === 0 ? '' : ` (${details.join(', ')})`;
		return { label: `${name ?? id}${suffix}`, value: id, time };
	},
};

/** The first part of a UUID: the editor shows about fifty characters of an entry. */
function shortenId(id: string): string {
	return /^[\da-f]{8}-/i.test(id) ? id.slice(0, 8) : id;
}
