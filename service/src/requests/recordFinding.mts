import { transact } from '../containers/trail.mts';
import type { Vault } from '../containers/vault.mts';
import type { Delivery } from './delivery.mts';
import type { DeliveryError } from './deliveryError.mts';

const MAX_CHARACTERS = 200;

/** Tells the owner what a scanner found in what somebody sent. */
export async function recordFinding(
	vault: Vault,
	{ request, sender, ip, country }: Omit<Delivery, 'form' | 'hasSent'>,
	{ found = '' }: DeliveryError,
): Promise<void> {
	const line = found.replace(/\p{Cc}+/gu, ' ').trim();
	const detail = { ip, country, found: line.slice(0, MAX_CHARACTERS) || undefined };
	const about = { ownerId: request.owner_id, requestId: request.id, user: sender, detail };
	await transact(vault, async (_queries, record) => {
		await record({ ...about, action: 'request.refuse' });
	});
}
