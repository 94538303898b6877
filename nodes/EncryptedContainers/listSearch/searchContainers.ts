import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { getContainerIdentity } from '../../shared/api/records';
import { searchRecords } from './searchList';

/**
 * Lists the containers to choose from: by name, with the start of the identifier to tell equal names apart.
 *
 * @param filter what the user typed; matches names and identifiers
 * @returns all matching containers, with their owner
 * @throws NodeApiError in words for the user
 */
export async function searchContainers(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await searchRecords(this, {
		url: '/users/{userId}/containers',
		action: 'list the containers',
		nameOfBare: 'uuid',
		filter,
		toChoice(record) {
			const { id, name } = getContainerIdentity(record);
			if (id === undefined) return undefined;
			return { label: name === undefined ? id : `${name} (${startOf(id)})`, value: id };
		},
	});
}

/** Enough of a UUID to tell equal names apart: the editor shows about fifty characters of an entry. */
function startOf(id: string): string {
	return /^[\da-f]{8}-/i.test(id) ? id.slice(0, 8) : id;
}
