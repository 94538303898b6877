import { isNamed } from '../containers/addresses.mts';
import { isOwner } from '../containers/rules.mts';
import { findRequest } from '../database/fileRequests.mts';
import { findUser } from '../database/queries.mts';
import type { FileRequestRow, Queries, UserRow } from '../database/schema.mts';
import type { MasterKeys } from '../containers/masterKeys.mts';
import { openRequest, type FileRequest } from './request.mts';

/** A request with its owner, where both are there. @throws ServiceError where it was changed outside of the service */
export async function findRequestWithOwner(queries: Queries, keys: MasterKeys, id: string) {
	return await openWithOwner(queries, keys, await findRequest(queries, id));
}

export async function openWithOwner(queries: Queries, keys: MasterKeys, row?: FileRequestRow) {
	const owner = row && (await findUser(queries, 'id', row.owner_id));
	return row && owner && { request: openRequest(keys, row), owner };
}

/** Why somebody can't send, with the day that they should know. */
export type SenderRefusal =
	{ reason: 'sender' } | { reason: 'starts'; day: string } | { reason: 'ended'; day: string };

interface Sender {
	address: string;
	owner: UserRow;
	today: string;
}

/** How many deliveries are left is another question: whoever has sent everything still sees what. */
export function findSenderRefusal(
	{ settings }: FileRequest,
	{ address, owner, today }: Sender,
): SenderRefusal | undefined {
	const { start = today, end = today } = settings.time ?? {};
	// The owner sees the page as the senders do.
	const isKnown = isOwner(owner, address) || isNamed(settings.senders, address);
	if (!isKnown || owner.closed_date !== null) return { reason: 'sender' };
	if (today < start) return { reason: 'starts', day: start };
	return today > end ? { reason: 'ended', day: end } : undefined;
}
