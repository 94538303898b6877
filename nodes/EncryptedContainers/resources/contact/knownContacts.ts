import type { IDataObject } from 'n8n-workflow';

import type { ListEntry } from '../../../shared/api/lists';
import { unwrapContact } from '../../../shared/api/records';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { isSameValue } from './sameValue';

/** The contacts of a user by `toAddressKey`; several where a service distinguishes the forms of an address. */
export type KnownContacts = Map<string, ListEntry[]>;

export function groupByAddress(entries: ListEntry[]): KnownContacts {
	const known: KnownContacts = new Map();
	for (const entry of entries) {
		const key = toAddressKey(entry.id);
		const others = known.get(key);
		if (others === undefined) known.set(key, [entry]);
		else others.push(entry);
	}
	return known;
}

/** The names of the values that a contact has not yet. */
export function listDifferences(contact: IDataObject, values: IDataObject): string[] {
	const current = unwrapContact(contact);
	return Object.entries(values)
		.filter(([name, value]) => {
			return !isSameValue(Object.hasOwn(current, name) ? current[name] : undefined, value);
		})
		.map(([name]) => name);
}
