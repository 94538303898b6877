import { createHmac, randomInt } from 'node:crypto';
import { isNamed } from '../containers/addresses.mts';
import { deriveKey, type MasterKeys } from '../containers/masterKeys.mts';
import { findOpensRefusal, findRefusal, getToday, type Refusal } from '../containers/policy.mts';
import { checkPassword, getIdentity, openSeal, type OpenedSeal } from '../containers/seal.mts';
import type { Vault } from '../containers/vault.mts';
import { addAttempt, removeAttempt, storeCode, useCode } from '../database/limits.mts';
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

/** Somebody whose address (in its normal form) a code has proven. */
export interface Visitor {
	address: string;
	ip: string;
	/** What the password gave. */
	passwordKey?: Buffer;
}

/** A container as somebody in front of the door finds it. */
export interface FoundContainer {
	row: ContainerRow;
	owner: UserRow;
	seal: OpenedSeal;
}

const MAX_WRONG_PASSWORDS = 5;
const wrongPassword = (sentence: string): Refusal => ({ reason: 'password', sentence });

/** Rolls a transaction back. */
class RefusedError extends Error {
	constructor(readonly refusal: Refusal) {
		super(refusal.sentence);
	}
}

export async function findWithOwner(
	{ vault }: Door,
	id: string,
): Promise<FoundContainer | undefined> {
	const row = await findContainer(vault.database, id);
	const owner = row && (await findUser(vault.database, 'id', row.owner_id));
	return row && owner && { row, owner, seal: openSeal(vault.keys, row) };
}

/**
 * Counts a request for a code, whether or not the container and the address exist.
 *
 * @returns whether a code can be sent
 */
export async function countCodeRequest(door: Door, id: string, { address, ip }: Visitor) {
	const { vault, codesPerIp, codesPerAddress } = door;
	if (!(await addAttempt(vault.database, `code from ${ip}`, codesPerIp))) return false;
	const subject = `code for ${address} and ${id}`;
	return (await addAttempt(vault.database, subject, codesPerAddress)) !== undefined;
}

/** Mails a code to the owner and to whom the rules name, and to nobody else: the service is no mail relay. */
export async function sendCode(door: Door, container_id: string, address: string): Promise<void> {
	const { vault, mailer, publicUrl } = door;
	const found = await findWithOwner(door, container_id);
	if (found === undefined) return;
	const { row, owner, seal } = found;
	if (address !== owner.address && !isNamed(seal.rules.recipients ?? [], address)) return;
	const code = String(randomInt(100_000_000)).padStart(8, '0');
	const hash = hashCode(vault.keys, container_id, address, code);
	await storeCode(vault.database, { container_id, address, hash });
	const text = `${owner.email} shared "${row.name}" with you. Your code to open it:

${code}

Enter it within ten minutes at:

${publicUrl}/c/${container_id}

If you didn't ask for this code, you can ignore this message.
`;
	await mailer.send({ to: address, subject: 'Your code to open a container', text });
}

/** Uses a code up. */
export async function proveAddress(
	{ vault }: Door,
	container_id: string,
	address: string,
	code: string,
) {
	const hash = hashCode(vault.keys, container_id, address, code.replace(/\s/g, ''));
	const proof = { container_id, address, hash };
	return await vault.database.transaction().execute((queries) => useCode(queries, proof));
}

/** Keyed: eight digits are too few for a plain hash. */
function hashCode(keys: MasterKeys, ...values: string[]): string {
	const hmac = createHmac('sha256', deriveKey(keys.current(), 'code'));
	return hmac.update(JSON.stringify(values)).digest('base64url');
}

/** Checks all rules but the password and the number of openings. A refusal becomes an event. */
export async function examine(door: Door, found: FoundContainer, visitor: Visitor) {
	const refusal = decide(door, found, visitor);
	return refusal && (await refuse(door, found, visitor, refusal));
}

function decide(door: Door, { owner, seal }: FoundContainer, { address, ip }: Visitor) {
	const visit = { address, ip, country: door.findCountry(ip), today: getToday(door.timeZone) };
	return findRefusal({ rules: seal.rules, owner: owner.address, visit });
}

async function refuse(door: Door, { row }: FoundContainer, visitor: Visitor, refusal: Refusal) {
	const { address, ip } = visitor;
	const detail = { ip, country: door.findCountry(ip), reason: refusal.reason };
	const event = { action: 'container.refuse', container: row, user: address, detail } as const;
	await door.vault.database.transaction().execute((queries) => addEvent(queries, event));
	return refusal;
}

/** @returns the key that a password gives, or why it is refused */
export async function enterPassword(
	door: Door,
	found: FoundContainer,
	visitor: Visitor,
	password: string,
): Promise<Buffer | Refusal> {
	const { database } = door.vault;
	const { row, seal } = found;
	const subject = `password of ${visitor.address} for ${row.id}`;
	const attempt = await addAttempt(database, subject, MAX_WRONG_PASSWORDS);
	if (attempt === undefined) {
		const sentence = 'There were too many wrong passwords. Try again in an hour.';
		return await refuse(door, found, visitor, wrongPassword(sentence));
	}
	const key = await checkPassword(row.id, seal.secret, password);
	if (!key) return await refuse(door, found, visitor, wrongPassword('The password is wrong.'));
	await removeAttempt(database, attempt);
	return key;
}

/**
 * Opens a container: checks all rules, and counts the opening in the transaction that allows it.
 *
 * @returns why it is refused, or `missing` where it was deleted meanwhile; nothing where it is open
 */
export async function openContainer(door: Door, found: FoundContainer, visitor: Visitor) {
	const { database, keys } = door.vault;
	const { id } = found.row;
	const { address, ip, passwordKey } = visitor;
	const isOwner = address === found.owner.address;
	try {
		return await database.transaction().execute(async (queries) => {
			// The write comes first: from here on, others who open this container wait.
			const row = await (isOwner ? lockContainer : countOpening)(queries, id);
			if (row === undefined) return 'missing';
			const seal = openSeal(keys, row);
			const isUnlocked = getIdentity(id, seal.secret, passwordKey) !== undefined;
			const refusal =
				decide(door, { ...found, seal }, visitor) ??
				(isUnlocked ? undefined : wrongPassword('The password is wrong.')) ??
				(isOwner ? undefined : findOpensRefusal(seal.rules, row.opens_used - 1));
			if (refusal !== undefined) throw new RefusedError(refusal);
			const detail = { ip, country: door.findCountry(ip) };
			await addEvent(queries, { action: 'container.open', container: row, user: address, detail });
			return undefined;
		});
	} catch (error) {
		if (!(error instanceof RefusedError)) throw error;
		return await refuse(door, found, visitor, error.refusal);
	}
}
