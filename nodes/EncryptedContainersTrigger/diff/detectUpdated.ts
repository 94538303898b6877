import type { Comparison, Snapshot } from '../types';
import { hash, FINGERPRINT_LENGTH, IDENTITY_LENGTH } from '../fingerprint';

/**
 * Finds what is other than before; what was not there before has not changed. Remembers 12 characters for each subject
 * and 8 for each of its facets.
 */
export const detectUpdated: Comparison = {
	toState(subjects) {
		return subjects.map(
			(subject) =>
				hash(subject.identity, IDENTITY_LENGTH) +
				facetsOf(subject)
					.map(([, digested]) => digested)
					.join(''),
		);
	},
	diff(remembered, subjects) {
		const known = new Map(
			remembered.map((entry) => [entry.slice(0, IDENTITY_LENGTH), entry.slice(IDENTITY_LENGTH)]),
		);
		return subjects.flatMap((subject) => {
			const before = known.get(hash(subject.identity, IDENTITY_LENGTH));
			if (before === undefined) return [];
			const names = facetsOf(subject)
				.filter(([, digested], place) => {
					const start = place * FINGERPRINT_LENGTH;
					return before.slice(start, start + FINGERPRINT_LENGTH) !== digested;
				})
				.map(([name]) => name);
			return names.length === 0 ? [] : [subject.toItem(names)];
		});
	},
};

function facetsOf({ fingerprints = {} }: Snapshot): Array<[name: string, digested: string]> {
	return Object.entries(fingerprints).map(([name, content]) => [
		name,
		hash(content, FINGERPRINT_LENGTH),
	]);
}
