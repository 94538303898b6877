import type { ContainerRow, UserRow } from '../../database/schema.mts';
import { listDeliveries } from '../../database/fileRequests.mts';
import type { DeliveryOptions } from '../../requests/delivery.mts';
import type { FileRequest } from '../../requests/request.mts';
import { findRequestWithOwner, findSenderRefusal } from '../../requests/senderAccess.mts';
import type { Door, Session } from '../door.mts';
import type { Link } from '../links.mts';
import { PageError } from '../pageErrors.mts';
import { requestGonePage, senderRefusedPage } from './sendPage.mts';

/** The door of a request for files, with what a delivery needs. */
export type SendDoor = Door & DeliveryOptions;

/** Somebody who can see a request for files, and what they sent by it. */
export interface SenderVisit {
	link: Link;
	request: FileRequest;
	owner: UserRow;
	address: string;
	/** What came from this address. */
	sent: ContainerRow[];
}

/** Whoever comes is checked at each request. @throws PageError */
export async function arriveSender(
	door: Door,
	link: Link,
	{ address }: Session,
): Promise<SenderVisit> {
	const { database, keys } = door.vault;
	const found = await findRequestWithOwner(database, keys, link.id);
	if (found === undefined) throw new PageError(404, requestGonePage);
	const { request, owner } = found;
	const today = door.calendar.format(new Date());
	const refusal = findSenderRefusal(request, { address, owner, today });
	if (refusal) {
		const refused = { refusal, address, owner };
		throw new PageError(403, (page) => senderRefusedPage({ ...page, visitor: address }, refused));
	}
	const sent = await listDeliveries(database, request.id, address);
	return { link, request, owner, address, sent };
}
