import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { CONTAINER_LIST } from '../../shared/api/lists';
import { getContainerIdentity } from '../../shared/api/records';
import type { Picker } from './searchList';
import { searchList } from './searchList';

/** Lists the containers to choose from: by name, with the start of the ID to distinguish equal names. */
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
		return { label: name === undefined ? id : `${name} (${shortenId(id)})`, value: id };
	},
};

/** The first part of a UUID: the editor shows about fifty characters of an entry. */
function shortenId(id: string): string {
	return /^[\da-f]{8}-/i.test(id) ? id.slice(0, 8) : id;
}
