import type { IDataObject } from 'n8n-workflow';

import type { Comparison } from '../events/event';

/** Bounds what is remembered, whatever the service takes for a name. */
const LONGEST_NAME = 200;

/**
 * Finds what is not there any more. Remembers identity and name of each subject as they are, since what is gone can be
 * asked for nowhere else.
 *
 * @param toItem makes the item of what is gone
 */
export function vanished(toItem: (identity: string, name: string) => IDataObject): Comparison {
	return {
		remember(subjects) {
			return subjects.flatMap(({ identity, name = '' }) => [identity, shorten(name)]);
		},
		since(remembered, subjects) {
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

function shorten(name: string): string {
	return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}
