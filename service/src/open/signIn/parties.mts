import { isNamed } from '../../containers/addresses.mts';
import { isOwner } from '../../containers/rules.mts';
import type { UserRow } from '../../database/schema.mts';
import { findRequestWithOwner } from '../../requests/senderAccess.mts';
import { findWithOwner, type Door } from '../door.mts';
import type { Link } from '../links.mts';

/** Who can come in by a link. */
export interface Parties {
	owner: UserRow;
	/** Addresses and wildcards. */
	named: string[];
	/** What an event says that it is about. */
	about: { container?: { id: string; name: string }; requestId?: string };
}

export async function findParties(door: Door, link: Link): Promise<Parties | undefined> {
	if (!link.isRequest) {
		const found = await findWithOwner(door, link.id);
		if (found === undefined) return undefined;
		const { owner, seal, row } = found;
		return { owner, named: seal.rules.recipients ?? [], about: { container: row } };
	}
	const { database, keys } = door.vault;
	const found = await findRequestWithOwner(database, keys, link.id);
	if (found === undefined) return undefined;
	const { owner, request } = found;
	return { owner, named: request.settings.senders, about: { requestId: request.id } };
}

export const isParty = ({ owner, named }: Parties, address: string) =>
	isOwner(owner, address) || isNamed(named, address);
