import type { IDataObject } from 'n8n-workflow';

import { CONTACT_LIST } from '../../shared/api/lists';
import { unwrapContact } from '../../shared/api/records';
import { toAddressKey } from '../../shared/parameters/addresses';
import { toCanonicalText } from '../../shared/responses/canonicalJson';
import { hash } from '../pollState';
import type { TriggerEvent } from '../types';

/** A contact with a field that differs from the last poll. Emits its record from the list. */
export const contactChanged: TriggerEvent = {
	option: {
		name: 'Contact Changed',
		value: 'contactChanged',
		description: "When a field of a contact changes. New contacts don't count as changed.",
		action: 'On contact changed',
	},
	list: CONTACT_LIST,
	sample: 'A test shows existing contacts, changed or not.',
	nothingToShow: 'There is no contact to show as a sample',
	async fetch(fetcher) {
		const { fieldsToIgnore } = fetcher.options.parameters;
		return await fetcher.fetchList(({ record, duplicates }) => ({
			content: hash(getContent([record, ...duplicates], fieldsToIgnore)),
			toItem: () => record,
		}));
	},
	isEvent: (before, content) => before !== undefined && before !== content,
	stateKey: ({ fieldsToIgnore }) => [...fieldsToIgnore].sort(),
};

/** The content of all records of one address, whatever their order in the list, and whatever the form of the address. */
function getContent(records: IDataObject[], fieldsToIgnore: string[]): string {
	const contents = records.map((record) => {
		const fields = Object.entries(unwrapContact(record))
			.filter(([name]) => !fieldsToIgnore.includes(name))
			.map(([name, value]): [string, unknown] => {
				const isAddress = typeof value === 'string' && /^[^\s@]+@\S+$/.test(value.trim());
				return [name, isAddress ? toAddressKey(value) : value];
			});
		return toCanonicalText(Object.fromEntries(fields));
	});
	return [...new Set(contents)].sort().join();
}
