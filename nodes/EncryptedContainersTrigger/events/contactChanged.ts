import type { IDataObject } from 'n8n-workflow';

import { contactOf } from '../../shared/answers/records';
import { changed } from '../comparisons/changed';
import { canonicalJson } from '../comparisons/digest';
import type { TriggerEvent } from './event';

/** A contact of which any field differs from the last poll. Emits its record as the service lists it. */
export const contactChanged: TriggerEvent = {
	option: {
		name: 'Contact Changed',
		value: 'contactChanged',
		description:
			'When any field of a contact is another than before. New contacts are not changed ones. One request at each poll.',
		action: 'On contact changed',
	},
	comparison: changed,
	canIncludeExisting: true,
	nothingToShow: 'There is no contact to show as a sample',
	async look(reader) {
		const contacts = await reader.contacts();
		const { fieldsToIgnore } = reader.settings;
		return contacts.map(({ id, record, duplicates }) => ({
			identity: id,
			facets: { record: contentOf([record, ...duplicates], fieldsToIgnore) },
			toItem: () => record,
		}));
	},
	dependsOn: ({ fieldsToIgnore }) => [...fieldsToIgnore].sort(),
};

/** All records of one address together: which of them the list has first makes no difference. */
function contentOf(records: IDataObject[], fieldsToIgnore: string[]): string {
	const contents = records.map((record) => {
		const fields = Object.entries(contactOf(record)).filter(
			([name]) => !fieldsToIgnore.includes(name),
		);
		return canonicalJson(Object.fromEntries(fields));
	});
	return [...new Set(contents)].sort().join('\n');
}
