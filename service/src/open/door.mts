import { createHmac, randomInt } from 'node:crypto';
import { isNamed } from '../containers/addresses.mts';
import { deriveKey, type MasterKeys } from '../containers/masterKeys.mts';
import { findOpensRefusal, findRefusal, getToday, type Refusal } from '../containers/policy.mts';
import { checkPassword, getIdentity, openSeal, type OpenedSeal } from '../containers/seal.mts';
import type { Vault } from '../containers/vault.mts';
import { addAttempt, removeAttempt } from '../database/attempts.mts';
import { storeCode, useCode } from '../database/codes.mts';
import { countOpening, findContainer, lockContainer } from '../database/containerRows.mts';
import { addEvent } from '../database/eventRows.mts';
import type { ContainerRow, UserRow } from '../database/schema.mts';
import { findUser } from '../database/users.mts';
import type { Mailer } from '../mail/mailer.mts';

export interface Door {
	vault: Vault;
	mailer: Mailer;
	findCountry: (ip: string) => string | undefined;
	publicUrl: string;
	timeZone: string;
	codesPerAddress: number;
	codesPerIp: number;
}

/** Somebody whose address a code has proven. */
export interface Visitor {
	address: string;
	ip: string;
	/** What the password gave; absent where it wasn't entered. */
	passwordKey?: Buffer;
}

/** A container with its owner, and what its seal holds. */
export interface SeenContainer {
	row: ContainerRow;
	owner: UserRow;
	seal: OpenedSeal;
}

const MAX_WRONG_PASSWORDS = 5;
const TOO_MANY_PASSWORDS: Refusal = {
	reason: 'password',
	sentence: 'There were too many wrong passwords. Try again in an hour.',
};
const WRONG_PASSWORD: Refusal = { reason: 'password', sentence: 'The password is wrong.' };

/** Rolls a transaction back. */
class RefusedError extends Error {
	constructor(readonly refusal: Refusal) {
		super(refusal.sentence);
	}
}

/** @throws BrokenSealError */
export async function findSeenContainer(
	{ vault }: Door,
	id: string,
): Promise<SeenContainer | undefined> {
	const row = await findContainer(vault.database, id);
	const owner = row && (await findUser(vault.database, row.owner_id));
	return row && owner && { row, owner, seal: openSeal(vault.keys, row) };
}

/**
 * Counts a request for a code, whether or not the container and the address exist.
 *
 * @returns whether a code can be sent
 */
export async function countCodeRequest(
	door: Door,
	id: string,
	address: string,
	ip: string,
): Promise<boolean> {
	const { database } = door.vault;
	const byIp = await addAttempt(database, `code from ${ip}`, door.codesPerIp);
	if (byIp === undefined) return false;
	const subject = `code for ${address} and ${id}`;
	return (await addAttempt(database, subject, door.codesPerAddress)) !== undefined;
}

/** Mails a code to the owner and to whom the rules name, and to nobody else: the service is no mail relay. */
export async function sendCode(door: Door, id: string, address: string): Promise<void> {
	const { vault, mailer, publicUrl } = door;
	const found = await findSeenContainer(door, id);
	if (found === undefined) return;
	const { row, owner, seal } = found;
	if (address !== owner.address && !isNamed(seal.rules.recipients ?? [], address)) return;
	const code = String(randomInt(100_000_000)).padStart(8, '0');
	await storeCode(
		vault.database,
		{ containerId: id, address },
		hashCode(vault.keys, id, address, code),
	);
	await mailer.send({
		to: address,
		subject: 'Your code to open a container',
		text: `${owner.email} shared "${row.name}" with you. Your code to open it:

${code}

Enter it within ten minutes at:

${publicUrl}/c/${id}

If you didn't ask for this code, you can ignore this message.
`,
	});
}

/** Uses a code up. */
export async function proveAddress({ vault }: Door, id: string, address: string, code: string) {
	const hash = hashCode(vault.keys, id, address, code.replace(/\s/g, ''));
	return await vault.database
		.transaction()
		.execute(async (transaction) => await useCode(transaction, { containerId: id, address }, hash));
}

/** Keyed: eight digits are too few for a plain hash. */
function hashCode(keys: MasterKeys, id: string, address: string, code: string): string {
	const hmac = createHmac('sha256', deriveKey(keys.current(), 'code'));
	return hmac.update(JSON.stringify([id, address, code])).digest('base64url');
}

/** Checks all rules but the password and the number of openings. A refusal becomes an event. */
export async function examine(
	door: Door,
	seen: SeenContainer,
	visitor: Visitor,
): Promise<Refusal | undefined> {
	const refusal = decide(door, seen, visitor);
	if (refusal !== undefined) await recordRefusal(door, seen.row, visitor, refusal);
	return refusal;
}

function decide(
	door: Door,
	{ owner, seal }: SeenContainer,
	{ address, ip }: Visitor,
): Refusal | undefined {
	const visit = { address, ip, country: door.findCountry(ip), today: getToday(door.timeZone) };
	return findRefusal({ rules: seal.rules, owner: owner.address, visit });
}

/** @returns the key that the password gives, or why it is refused */
export async function enterPassword(
	door: Door,
	{ row, seal }: SeenContainer,
	visitor: Visitor,
	password: string,
): Promise<Buffer | Refusal> {
	const { database } = door.vault;
	const subject = `password of ${visitor.address} for ${row.id}`;
	const attempt = await addAttempt(database, subject, MAX_WRONG_PASSWORDS);
	const key = attempt && (await checkPassword(row.id, seal.secret, password));
	if (attempt && key) {
		await removeAttempt(database, attempt);
		return key;
	}
	const refusal = attempt === undefined ? TOO_MANY_PASSWORDS : WRONG_PASSWORD;
	await recordRefusal(door, row, visitor, refusal);
	return refusal;
}

/**
 * Opens a container: checks all rules, and counts the opening in the transaction that allows it.
 *
 * @returns why it is refused, or `missing` where it was deleted meanwhile; nothing where it is open
 */
export async function openContainer(
	door: Door,
	seen: SeenContainer,
	visitor: Visitor,
): Promise<Refusal | 'missing' | undefined> {
	const { database, keys } = door.vault;
	const { row, owner } = seen;
	const { address, ip, passwordKey } = visitor;
	const isOwner = address === owner.address;
	try {
		return await database.transaction().execute(async (transaction) => {
			// The write comes first: from here on, others who open this container wait.
			const current = await (isOwner ? lockContainer : countOpening)(transaction, row.id);
			if (current === undefined) return 'missing';
			const seal = openSeal(keys, current);
			const refusal =
				decide(door, { row: current, owner, seal }, visitor) ??
				(getIdentity(row.id, seal.secret, passwordKey) === undefined
					? WRONG_PASSWORD
					: undefined) ??
				(isOwner ? undefined : findOpensRefusal(seal.rules, current.opens_used - 1));
			if (refusal !== undefined) throw new RefusedError(refusal);
			const detail = { ip, country: door.findCountry(ip) };
			await addEvent(transaction, {
				action: 'container.open',
				container: row,
				user: address,
				detail,
			});
			return undefined;
		});
	} catch (error) {
		if (!(error instanceof RefusedError)) throw error;
		await recordRefusal(door, row, visitor, error.refusal);
		return error.refusal;
	}
}

async function recordRefusal(
	{ vault, findCountry }: Door,
	row: ContainerRow,
	{ address, ip }: Visitor,
	{ reason }: Refusal,
): Promise<void> {
	const detail = { ip, country: findCountry(ip), reason };
	await vault.database
		.transaction()
		.execute(
			async (transaction) =>
				await addEvent(transaction, {
					action: 'container.refuse',
					container: row,
					user: address,
					detail,
				}),
		);
}
