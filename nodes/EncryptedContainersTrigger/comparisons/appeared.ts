import type { Comparison } from '../events/event';
import { digest, IDENTITY_LENGTH } from './digest';

/** Finds what was not there before. Remembers 12 characters for each subject. */
export const appeared: Comparison = {
	remember(subjects) {
		return subjects.map(({ identity }) => digest(identity, IDENTITY_LENGTH));
	},
	since(remembered, subjects) {
		const known = new Set(remembered);
		return subjects
			.filter(({ identity }) => !known.has(digest(identity, IDENTITY_LENGTH)))
			.map(({ toItem }) => toItem([]));
	},
};
