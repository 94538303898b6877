import { checkPassword } from '../containers/seal.mts';
import { addAttempt, removeAttempt } from '../database/limits.mts';
import { refuse, type Door, type Visit } from './door.mts';
import { pageError } from './pageErrors.mts';
import { passwordPage } from './pages.mts';

const MAX_WRONG_PASSWORDS = 5;

/** @returns the key that the password gives. It is counted before it is tried: many at once are no more than the limit. */
export async function enterPassword(door: Door, visit: Visit, password: string): Promise<string> {
	const { database } = door.vault;
	const { address, row, seal, path } = visit;
	const subject = `password of ${address} for ${row.id}`;
	const attempt = await database
		.transaction()
		.execute((queries) => addAttempt(queries, subject, MAX_WRONG_PASSWORDS));
	const problem = 'There were too many wrong passwords. Try again in an hour.';
	if (!attempt) throw pageError(429, passwordPage({ path, problem }));
	const key = await checkPassword(row.id, seal.secret, password);
	const sentence = 'The password is wrong.';
	if (!key) throw await refuse(door, visit, { reason: 'password', sentence });
	await removeAttempt(database, attempt);
	return key;
}
