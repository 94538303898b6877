import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { getContactEmail, unwrapContact } from '../../shared/api/records';
import { searchRecords } from './searchList';

/**
 * Lists the contacts to choose from, by name and address.
 *
 * @param filter what the user typed; matches names and addresses
 * @returns all matching contacts, with their owner
 * @throws NodeApiError in words for the user
 */
export async function searchContacts(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await searchRecords(this, {
		url: '/users/{userId}/contacts',
		action: 'list the contacts',
		nameOfBare: 'email',
		filter,
		toChoice(record) {
			const address = getContactEmail(record);
			if (address === undefined) return undefined;
			const name = fullName(unwrapContact(record));
			return { label: name === '' ? address : `${name} (${address})`, value: address };
		},
	});
}

function fullName({ first_name: first, last_name: last, name }: IDataObject): string {
	const parts = [first, last].filter((part) => typeof part === 'string' && part !== '');
	return parts.length > 0 ? parts.join(' ') : typeof name === 'string' ? name : '';
}
