import type { IDataObject } from 'n8n-workflow';

import type { Comparison } from '../types';

/** Bounds what is remembered, whatever the service takes for a name. */
const MAX_NAME_LENGTH = 200;

/**
 * Finds what is not there any more. Remembers identity and name of each subject as they are, since what is gone can be
 * asked for nowhere else.
 *
 * @param toItem makes the item of what is gone
 */
export function detectDeleted(toItem: (identity: string, name: string) => IDataObject): Comparison {
	return {
		toState(subjects) {
			return subjects.flatMap(({ identity, name = '' }) => [identity, truncateName(name)]);
		},
		diff(remembered, subjects) {
			const present = new Set(subjects.map(({ identity }) => identity));
			const items: IDataObject[] = [];
			for (let place = 0; place < remembered.length; place += 2) {
				const [identity, name = ''] = remembered.slice(place, place + 2);
				if (!present.has(identity)) items.push(toItem(identity, name));
			}
			return items;
		},
	};
}

function truncateName(name: string): string {
	return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
}
