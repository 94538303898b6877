import { randomUUID } from 'node:crypto';
import { removeAttempts } from '../database/limits.mts';
import { countAttempts, type Attempt } from './attempts.mts';
import type { OpenedContainer } from './decryptFile.mts';
import { checkPassword } from './passwordSecret.mts';
import type { Vault } from './vault.mts';

/** An hour, for a person. */
const WRONG_PASSWORDS = 5;

/** Those of a person for a container: at the door, and by the API. */
export const toPasswordAttempt = (address: string, containerId: string): Attempt => ({
	id: randomUUID(),
	what: `password of ${address} for ${containerId}`,
	limit: WRONG_PASSWORDS,
});

/**
 * A password counts before it is tried, so that many at once are no more than the limit.
 * @returns the key that it gives: nothing where it is wrong, or can't be tried before so many milliseconds
 */
export async function tryPassword(
	vault: Vault,
	{ row, seal }: OpenedContainer,
	{ password, attempts }: { password: string; attempts: Attempt[] },
): Promise<{ wait: number; key?: string }> {
	const wait = await countAttempts(vault, attempts);
	if (wait > 0) return { wait };
	const key = await checkPassword(row.id, seal.secret, password);
	const ids = attempts.map(({ id }) => id);
	if (key !== undefined) await removeAttempts(vault.database, ids);
	return { wait, key };
}
