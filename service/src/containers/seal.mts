import stringify from 'safe-stable-stringify';
import type { ContainerRow } from '../database/schema.mts';
import { attempt, ServiceError } from '../errors.mts';
import { decryptText, encryptText } from './encryptText.mts';
import { deriveKey, type MasterKeys } from './masterKeys.mts';
import type { Secret } from './passwordSecret.mts';
import type { DrmRules } from './rules.mts';

export interface StoredFile {
	name: string;
	type: string;
	size: number;
	offset: number;
	sha256: string;
	hidden: boolean;
}

export interface OpenedSeal {
	rules: DrmRules;
	files: StoredFile[];
	secret: Secret;
	/** Of the encrypted file. Legacy seals don't have it. */
	objectSha256?: string;
	/** Whether events were already proven when it was made. */
	hasTrails?: boolean;
}

/** Who a container belongs to, and how it came: by a request for files, or not. */
export type Owned = Pick<ContainerRow, 'id' | 'owner_id'> &
	Partial<Pick<ContainerRow, 'request_id' | 'sender'>>;
type Sealed = Pick<ContainerRow, 'rules' | 'files' | 'seal' | 'master_key_id'>;

/** Stands before seals of version 2. Those of version 1 are legacy. */
const SECOND_VERSION = '2.';

export function seal(keys: MasterKeys, owned: Owned, opened: OpenedSeal): Sealed {
	const { rules, files, secret, objectSha256 } = opened;
	const key = keys.current();
	const content = { secret, objectSha256, hasTrails: true };
	const encryptAs = (version: number, sealed: object) => {
		const facts = listFacts(owned, { version, rules, files });
		return encryptText(deriveKey(key, 'seal', owned.id), JSON.stringify(sealed), facts);
	};
	return {
		rules: stringify(rules),
		files: JSON.stringify(files),
		seal: objectSha256 ? SECOND_VERSION + encryptAs(2, content) : encryptAs(1, secret),
		master_key_id: key.id,
	};
}

/** What a seal binds to. Most containers came by no request: what is missing is no fact. */
function listFacts({ id, owner_id, request_id, sender }: Owned, more: object): string {
	const origin = { request_id: request_id ?? undefined, sender: sender ?? undefined };
	const facts = { ...more, id, owner_id, ...origin };
	return stringify(facts);
}

/** @throws ServiceError where the ID, the owner, the sender, the rules or the files are not those that were sealed, or its master key is missing */
export function openSeal(keys: MasterKeys, row: Owned & Sealed): OpenedSeal {
	const { id } = row;
	const written = attempt(() => readRow(row));
	const key = keys.find(row.master_key_id);
	if (key === undefined) {
		const message = `Container ${id} can't be opened: the service doesn't have the master key ${row.master_key_id} that sealed it.`;
		throw new ServiceError(500, 'master_key_missing', message);
	}
	const isLegacy = !row.seal.startsWith(SECOND_VERSION);
	const box = isLegacy ? row.seal : row.seal.slice(SECOND_VERSION.length);
	const facts = listFacts(row, { version: isLegacy ? 1 : 2, ...written });
	const text = decryptText(deriveKey(key, 'seal', id), box, facts);
	const message = `Container ${id} can't be opened: it was changed outside of the service.`;
	if (written === undefined || text === undefined) {
		throw new ServiceError(500, 'seal_broken', message);
	}
	if (isLegacy) {
		const secret = JSON.parse(text) as Secret;
		return { ...written, secret };
	}
	const content = JSON.parse(text) as Omit<OpenedSeal, 'rules' | 'files'>;
	return { ...written, ...content };
}

const readRow = ({ rules, files }: Pick<Sealed, 'rules' | 'files'>) => ({
	rules: JSON.parse(rules) as DrmRules,
	files: JSON.parse(files) as StoredFile[],
});
