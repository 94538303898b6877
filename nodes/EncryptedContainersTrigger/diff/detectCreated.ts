import type { Comparison } from '../types';
import { hash, IDENTITY_LENGTH } from '../fingerprint';

/** Finds what was not there before. Remembers 12 characters for each subject. */
export const detectCreated: Comparison = {
	toState(subjects) {
		return subjects.map(({ identity }) => hash(identity, IDENTITY_LENGTH));
	},
	diff(remembered, subjects) {
		const known = new Set(remembered);
		return subjects
			.filter(({ identity }) => !known.has(hash(identity, IDENTITY_LENGTH)))
			.map(({ toItem }) => toItem([]));
	},
};
