import type { IDataObject } from 'n8n-workflow';

import { FINGERPRINT_LENGTH, hash, IDENTITY_LENGTH } from './fingerprint';
import type { Comparison, Snapshot } from './types';

/** Limits what is saved, whatever the service accepts as a name. */
const MAX_NAME_LENGTH = 200;

/** Detects new snapshots. Saves 12 characters for each snapshot. */
export const detectCreated: Comparison = {
	toState(snapshots) {
		return snapshots.map(({ identity }) => hash(identity, IDENTITY_LENGTH));
	},
	diff(state, snapshots) {
		const known = new Set(state);
		return snapshots
			.filter(({ identity }) => !known.has(hash(identity, IDENTITY_LENGTH)))
			.map(({ toItem }) => toItem([]));
	},
};

/** Detects changes of known snapshots. Saves 12 characters for each snapshot and 8 for each of its fingerprints. */
export const detectUpdated: Comparison = {
	toState(snapshots) {
		return snapshots.map((snapshot) => {
			const hashes = hashFingerprints(snapshot).map(([, hashed]) => hashed);
			return hash(snapshot.identity, IDENTITY_LENGTH) + hashes.join('');
		});
	},
	diff(state, snapshots) {
		const known = new Map(
			state.map((entry) => [entry.slice(0, IDENTITY_LENGTH), entry.slice(IDENTITY_LENGTH)]),
		);
		return snapshots.flatMap((snapshot) => {
			const before = known.get(hash(snapshot.identity, IDENTITY_LENGTH));
			if (before === undefined) return [];
			const changed = hashFingerprints(snapshot).filter(([, hashed], index) => {
				const start = index * FINGERPRINT_LENGTH;
				return before.slice(start, start + FINGERPRINT_LENGTH) !== hashed;
			});
			return changed.length === 0 ? [] : [snapshot.toItem(changed.map(([name]) => name))];
		});
	},
};

/** Detects deleted snapshots. Saves their identities and names in full, which can't be fetched after the deletion. */
export function detectDeleted(toItem: (identity: string, name: string) => IDataObject): Comparison {
	return {
		toState(snapshots) {
			return snapshots.flatMap(({ identity, name = '' }) => [identity, truncateName(name)]);
		},
		diff(state, snapshots) {
			const existing = new Set(snapshots.map(({ identity }) => identity));
			const items: IDataObject[] = [];
			for (let index = 0; index < state.length; index += 2) {
				const [identity, name = ''] = state.slice(index, index + 2);
				if (!existing.has(identity)) items.push(toItem(identity, name));
			}
			return items;
		},
	};
}

function hashFingerprints({ fingerprints = {} }: Snapshot): Array<[name: string, hashed: string]> {
	return Object.entries(fingerprints).map(([name, content]) => [
		name,
		hash(content, FINGERPRINT_LENGTH),
	]);
}

function truncateName(name: string): string {
	return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
}
