import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { CONTAINER_LIST } from '../../shared/api/lists';
import { getContainerIdentity } from '../../shared/api/records';
import type { ToChoice } from './searchList';
import { searchList } from './searchList';

/** Lists the containers to choose from: by name, with the start of the identifier to distinguish equal names. */
export async function searchContainers(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, CONTAINER_LIST, toChoice, filter);
}

const toChoice: ToChoice = (record) => {
	const { id, name } = getContainerIdentity(record);
	if (id === undefined) return undefined;
	return { label: name === undefined ? id : `${name} (${shortenId(id)})`, value: id };
};

/** Enough of a UUID to distinguish equal names: the editor shows about fifty characters of an entry. */
function shortenId(id: string): string {
	return /^[\da-f]{8}-/i.test(id) ? id.slice(0, 8) : id;
}
