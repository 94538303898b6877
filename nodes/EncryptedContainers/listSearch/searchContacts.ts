import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { CONTACT_LIST } from '../../shared/api/lists';
import { getContactEmail, unwrapContact } from '../../shared/api/records';
import type { Picker } from './searchList';
import { searchList } from './searchList';

/** Lists the contacts to choose from, by name and email address. */
export async function searchContacts(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, picker, filter);
}

const picker: Picker = {
	list: CONTACT_LIST,
	manualMode: 'By Email',
	toChoice(record) {
		const email = getContactEmail(record);
		if (email === undefined) return undefined;
		const name = getFullName(unwrapContact(record));
		return { label: name === '' ? email : `${name} (${email})`, value: email };
	},
};

function getFullName({ first_name: first, last_name: last, name }: IDataObject): string {
	const parts = [first, last].filter((part) => typeof part === 'string' && part !== '');
	return parts.length > 0 ? parts.join(' ') : typeof name === 'string' ? name : '';
}
