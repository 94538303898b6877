import { insertContainer, updateContainer } from '../database/queries.mts';
import type { ContainerChange, NewContainer } from '../database/queries.mts';
import { getSealBeginning } from '../database/recipients.mts';
import type { ContainerRow, Queries } from '../database/schema.mts';
import { writeIndex } from './recipientIndex.mts';
import { seal, type MasterKeys, type OpenedSeal, type Owned } from './seal.mts';

/** Rules and owner are sealed: whoever changes them comes here, so that the index of recipients has them, too. */
type SealedTransaction = { queries: Queries; keys: MasterKeys };
type Open<Row> = Omit<Row, 'rules' | 'files' | 'seal' | 'master_key_id' | 'indexed_seal'>;

export async function insertSealed(
	{ queries, keys }: SealedTransaction,
	row: Open<NewContainer> & Owned,
	opened: OpenedSeal,
): Promise<ContainerRow> {
	const container = await insertContainer(queries, { ...row, ...sealRow(keys, row, opened) });
	await writeIndex(queries, [container]);
	return container;
}

/** @param change what else is written */
export async function updateSealed(
	{ queries, keys }: SealedTransaction,
	owned: Owned,
	opened: OpenedSeal,
	change: Open<ContainerChange> = {},
): Promise<void> {
	const { id, owner_id } = owned;
	const sealed = sealRow(keys, owned, opened);
	const container = await updateContainer(queries, id, { ...change, owner_id, ...sealed });
	if (container) await writeIndex(queries, [container]);
}

function sealRow(keys: MasterKeys, owned: Owned, opened: OpenedSeal) {
	const sealed = seal(keys, owned, opened);
	return { ...sealed, indexed_seal: getSealBeginning(sealed.seal) };
}
