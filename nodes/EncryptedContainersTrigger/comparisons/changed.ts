import type { Comparison, Subject } from '../events/event';
import { digest, FACET_LENGTH, IDENTITY_LENGTH } from './digest';

/**
 * Finds what is other than before; what was not there before has not changed. Remembers 12 characters for each subject
 * and 8 for each of its facets.
 */
export const changed: Comparison = {
	remember(subjects) {
		return subjects.map(
			(subject) =>
				digest(subject.identity, IDENTITY_LENGTH) +
				facetsOf(subject)
					.map(([, digested]) => digested)
					.join(''),
		);
	},
	since(remembered, subjects) {
		const known = new Map(
			remembered.map((entry) => [entry.slice(0, IDENTITY_LENGTH), entry.slice(IDENTITY_LENGTH)]),
		);
		return subjects.flatMap((subject) => {
			const before = known.get(digest(subject.identity, IDENTITY_LENGTH));
			if (before === undefined) return [];
			const names = facetsOf(subject)
				.filter(([, digested], place) => {
					const start = place * FACET_LENGTH;
					return before.slice(start, start + FACET_LENGTH) !== digested;
				})
				.map(([name]) => name);
			return names.length === 0 ? [] : [subject.toItem(names)];
		});
	},
};

function facetsOf({ facets = {} }: Subject): Array<[name: string, digested: string]> {
	return Object.entries(facets).map(([name, content]) => [name, digest(content, FACET_LENGTH)]);
}
