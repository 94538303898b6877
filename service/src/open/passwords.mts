import { randomUUID } from 'node:crypto';
import { isNamedByAddress } from '../containers/addresses.mts';
import { checkPassword } from '../containers/seal.mts';
import { removeAttempts } from '../database/limits.mts';
import { countAttempts, readAttempts } from './attempts.mts';
import { recordRefusal, type Door, type Visit } from './door.mts';
import { PageError, TooManyError } from './pageErrors.mts';
import { passwordPage, type PasswordProblem } from './pages.mts';
import type { Page } from './templates.mts';

/** An hour, for a person. */
const WRONG_PASSWORDS = 5;
/** An hour, for all whom only a wildcard names: one of them can make up as many addresses as they like. */
const WRONG_PASSWORDS_OF_STRANGERS = 100;

/** A password counts before it is tried, so that many at once are no more than the limit. @returns the key that it gives */
export async function enterPassword(door: Door, visit: Visit, password: string): Promise<string> {
	const { database } = door.vault;
	const { row, seal } = visit;
	const attempts = listPasswordAttempts(visit);
	const wait = await countAttempts(door.vault, attempts);
	if (wait > 0) throw new TooManyError(wait, askAgain(visit, { left: 0, wait }));
	const key = await checkPassword(row.id, seal.secret, password);
	if (key === undefined) {
		await recordRefusal(door, visit, 'password');
		throw new PageError(403, askAgain(visit, await readAttempts(door.vault, attempts)));
	}
	const ids = attempts.map(({ id }) => id);
	await removeAttempts(database, ids);
	return key;
}

function askAgain({ address: visitor, owner }: Visit, problem: PasswordProblem) {
	return (page: Page) => passwordPage({ ...page, visitor }, owner.email, problem);
}

function listPasswordAttempts({ address, isOwner, row, seal }: Visit) {
	const own = {
		id: randomUUID(),
		what: `password of ${address} for ${row.id}`,
		limit: WRONG_PASSWORDS,
	};
	const isKnown = isOwner || isNamedByAddress(seal.rules.recipients ?? [], address);
	if (isKnown) return [own];
	const shared = {
		id: randomUUID(),
		what: `password of strangers for ${row.id}`,
		limit: WRONG_PASSWORDS_OF_STRANGERS,
	};
	return [own, shared];
}
