import { randomUUID } from 'node:crypto';
import { isNamedByAddress } from '../../containers/addresses.mts';
import { readAttempts } from '../../containers/attempts.mts';
import { toPasswordAttempt, tryPassword } from '../../containers/passwordAttempts.mts';
import { recordRefusal, type Door, type Visit } from '../door.mts';
import { PageError, TooManyError } from '../pageErrors.mts';
import { passwordPage, type PasswordProblem } from '../pages.mts';
import type { PageContext } from '../templates.mts';

/** An hour, for all whom only a wildcard names: one of them can make up as many addresses as they like. */
const WRONG_PASSWORDS_OF_STRANGERS = 100;

/** @returns the key that the password gives @throws PageError */
export async function verifyPassword(door: Door, visit: Visit, password: string): Promise<string> {
	const attempts = listPasswordAttempts(visit);
	const { wait, key } = await tryPassword(door.vault, visit, { password, attempts });
	if (wait > 0) throw new TooManyError(wait, askAgain(visit, { left: 0, wait }));
	if (key === undefined) {
		await recordRefusal(door, visit, 'password');
		throw new PageError(403, askAgain(visit, await readAttempts(door.vault, attempts)));
	}
	return key;
}

function askAgain({ address: visitor, owner }: Visit, problem: PasswordProblem) {
	return (page: PageContext) => passwordPage({ ...page, visitor }, owner, problem);
}

function listPasswordAttempts({ address, isOwner, row, seal }: Visit) {
	const own = toPasswordAttempt(address, row.id);
	const isKnown = isOwner || isNamedByAddress(seal.rules.recipients ?? [], address);
	if (isKnown) return [own];
	const shared = {
		id: randomUUID(),
		what: `password of strangers for ${row.id}`,
		limit: WRONG_PASSWORDS_OF_STRANGERS,
	};
	return [own, shared];
}
