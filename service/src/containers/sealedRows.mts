import { insertContainer, updateContainer } from '../database/queries.mts';
import type { ContainerChange, NewContainer } from '../database/queries.mts';
import { getSealBeginning } from '../database/recipients.mts';
import type { ContainerRow, Queries } from '../database/schema.mts';
import { readRecipients, writeIndex } from './recipientIndex.mts';
import type { MasterKeys } from './masterKeys.mts';
import { seal, type OpenedSeal, type Owned } from './seal.mts';

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

/**
 * @param row as it is, locked
 * @param change what else is written
 */
export async function updateSealed(
	{ queries, keys }: SealedTransaction,
	row: ContainerRow,
	opened: OpenedSeal,
	change: Open<ContainerChange> = {},
): Promise<void> {
	const sealed = sealRow(keys, { ...row, ...(change as Partial<Owned>) }, opened);
	const container = await updateContainer(queries, row.id, { ...change, ...sealed });
	if (container && !isIndexed(row, container)) await writeIndex(queries, [container]);
}

/** Whether the index has all that it needs of a row that follows another one: it can have 10,000 recipients. */
function isIndexed(before: ContainerRow, after: ContainerRow): boolean {
	if (before.indexed_seal !== getSealBeginning(before.seal)) return false;
	const isSame = JSON.stringify(readRecipients(before)) === JSON.stringify(readRecipients(after));
	return isSame && before.owner_id === after.owner_id;
}

function sealRow(keys: MasterKeys, owned: Owned, opened: OpenedSeal) {
	const sealed = seal(keys, owned, opened);
	return { ...sealed, indexed_seal: getSealBeginning(sealed.seal) };
}
