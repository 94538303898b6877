import type { ContainerRow } from '../database/schema.mts';
import type { ByteRange } from '../storage/storage.mts';
import { decryptAgeFile } from './ageFile.mts';
import { getIdentity } from './passwordSecret.mts';
import type { OpenedSeal, StoredFile } from './seal.mts';
import type { Vault } from './vault.mts';

export interface OpenedContainer {
	row: ContainerRow;
	seal: OpenedSeal;
	/** Where it has a password. */
	passwordKey?: string;
}

/** Where a file is among all bytes of the container. */
type Extent = Pick<StoredFile, 'offset' | 'size'>;

/** The decrypted bytes of a file, read while they are taken. */
export async function* decryptFile(
	{ storage }: Vault,
	{ row, seal, passwordKey }: OpenedContainer,
	file: Extent,
	range: ByteRange,
) {
	if (file.size === 0) return;
	const identity = getIdentity(row.id, seal.secret, passwordKey);
	if (identity === undefined) throw new Error(`The password key of container ${row.id} is wrong`);
	yield* decryptAgeFile({
		read: (bytes) => storage.read(row.object, bytes),
		identity,
		size: row.size,
		range: { start: file.offset + range.start, end: file.offset + range.end },
	});
}
