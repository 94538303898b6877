import type { IDataObject } from 'n8n-workflow';

import { CONTACT_LIST } from '../../shared/api/lists';
import { unwrapContact } from '../../shared/api/records';
import { toAddressKey } from '../../shared/parameters/addresses';
import { toCanonicalText } from '../../shared/responses/canonicalJson';
import { createKeyFilter, normalizeKey } from '../../shared/responses/shapes';
import { hash } from '../pollState';
import type { TriggerEvent } from '../types';

export const contactChanged: TriggerEvent = {
	option: {
		name: 'Contact Changed',
		value: 'contactChanged',
		description: "When a field of a contact changes. New contacts don't count as changed.",
	},
	list: CONTACT_LIST,
	sample: 'A test shows existing contacts, changed or not.',
	nothingToShow: 'There is no contact to show as a sample',
	toContent({ record, duplicates }, { fieldsToIgnore }) {
		const contents = [record, ...duplicates].map((one) => getContent(one, fieldsToIgnore));
		return { content: hash([...new Set(contents)].sort().join()), toItem: () => record };
	},
	isEvent: (before, content) => before !== undefined && before !== content,
	stateKey: ({ fieldsToIgnore }) => fieldsToIgnore.map(normalizeKey).sort(),
};

function getContent(record: IDataObject, fieldsToIgnore: string[]): string {
	const isIgnored = createKeyFilter(fieldsToIgnore, Object.keys(unwrapContact(record)));
	const compared = Object.entries(unwrapContact(record)).filter(([name]) => !isIgnored(name));
	const fold = (text: string) => (/^\s*[^\s@]+@\S+\s*$/.test(text) ? toAddressKey(text) : text);
	return toCanonicalText(Object.fromEntries(compared), fold);
}
