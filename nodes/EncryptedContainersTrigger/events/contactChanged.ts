import { CONTACT_LIST } from '../../shared/api/lists';
import { unwrapContact } from '../../shared/api/records';
import { toCanonicalText } from '../../shared/responses/canonicalJson';
import { createKeyFilter, normalizeKey } from '../../shared/responses/shapes';
import { hash } from '../pollState';
import type { ListEvent } from '../types';

/** What the contact is known by, in any capitals, and what the service sets with each change. */
const NOT_COMPARED = ['email', 'updated_date'];

export const contactChanged: ListEvent = {
	option: {
		name: 'Contact Changed',
		value: 'contactChanged',
		description: "When a field of a contact changes. New contacts don't count as changed.",
	},
	list: CONTACT_LIST,
	sample: 'A test shows existing contacts, changed or not.',
	nothingToShow: 'There is no contact to show as a sample',
	toContent({ record }, { fieldsToIgnore }) {
		const fields = unwrapContact(record);
		const isIgnored = createKeyFilter(fieldsToIgnore, Object.keys(fields));
		const compared = Object.entries(fields).filter(
			([name]) => !NOT_COMPARED.includes(name) && !isIgnored(name),
		);
		const content = hash(toCanonicalText(Object.fromEntries(compared)));
		return { content, toItem: () => record };
	},
	isEvent: (before, content) => before !== undefined && before !== content,
	stateKey: ({ fieldsToIgnore }) => fieldsToIgnore.map(normalizeKey).sort(),
};
