import { randomUUID } from 'node:crypto';
import { isNamedByAddress } from '../containers/addresses.mts';
import { checkPassword } from '../containers/seal.mts';
import { removeAttempts } from '../database/limits.mts';
import { countAttempts } from './attempts.mts';
import { refuse, type Door, type Visit } from './door.mts';
import { tooManyError } from './pageErrors.mts';
import { describeWait, passwordPage } from './pages.mts';

/** An hour, for a person. */
const WRONG_PASSWORDS = 5;
/** An hour, for all whom only a wildcard names: one of them can make up as many addresses as they like. */
const WRONG_PASSWORDS_OF_STRANGERS = 100;

/** A password counts before it is tried, so that many at once are no more than the limit. @returns the key that it gives */
export async function enterPassword(door: Door, visit: Visit, password: string): Promise<string> {
	const { database } = door.vault;
	const { row, seal, path } = visit;
	const attempts = listPasswordAttempts(visit);
	const wait = await countAttempts(door.vault, attempts);
	if (wait > 0) {
		const problem = `There were too many wrong passwords. Try again in ${describeWait(wait)}.`;
		throw tooManyError(passwordPage({ path, problem }), wait);
	}
	const key = await checkPassword(row.id, seal.secret, password);
	const sentence = 'The password is wrong.';
	if (!key) throw await refuse(door, visit, { reason: 'password', sentence });
	const ids = attempts.map(({ id }) => id);
	await removeAttempts(database, ids);
	return key;
}

function listPasswordAttempts({ address, owner, row, seal }: Visit) {
	const own = {
		id: randomUUID(),
		what: `password of ${address} for ${row.id}`,
		limit: WRONG_PASSWORDS,
	};
	const isKnown =
		address === owner.address || isNamedByAddress(seal.rules.recipients ?? [], address);
	if (isKnown) return [own];
	const shared = {
		id: randomUUID(),
		what: `password of strangers for ${row.id}`,
		limit: WRONG_PASSWORDS_OF_STRANGERS,
	};
	return [own, shared];
}
