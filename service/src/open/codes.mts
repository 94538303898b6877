import { createHmac, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { toNetwork } from '../containers/addressRanges.mts';
import { isNamed } from '../containers/addresses.mts';
import { deriveKey, type MasterKey } from '../containers/seal.mts';
import { addAttempt, HOUR_MS, storeCode, useCode } from '../database/limits.mts';
import type { Mailer } from '../mail/mailer.mts';
import { findWithOwner, type Door } from './door.mts';

const MAIL_RETRY_MS = 10_000;
/** For a container, in multiples of the codes for an address. */
const ADDRESSES_PER_CONTAINER = 500;

/** Counts a request for a code, whether or not container and address exist. @returns whether it is within all limits */
export async function countCodeRequest(door: Door, id: string, address: string, ip: string) {
	const { vault, codesPerIp, codesPerAddress } = door;
	return await vault.database.transaction().execute(async (queries) => {
		const count = async (what: string, limit: number) =>
			(await addAttempt(queries, `code ${what}`, limit)) !== undefined;
		if (!(await count(`from ${toNetwork(ip)}`, codesPerIp))) return false;
		if (!(await count(`for ${address} and ${id}`, codesPerAddress))) return false;
		// The last: a rule for a domain names as many addresses as somebody makes up.
		return await count(`for ${id}`, codesPerAddress * ADDRESSES_PER_CONTAINER);
	});
}

/** So that many codes don't hold up the pages of others. */
const limitCodes = pLimit(5);
export const sendCode = async (door: Door, id: string, address: string) =>
	await limitCodes(createCode, door, id, address);

/** Mails a code to the owner and to whom the rules name, and to nobody else: the service is no mail relay. */
async function createCode(door: Door, id: string, address: string): Promise<void> {
	await waitForMailServer(door.mailer);
	const code = String(randomInt(100_000_000)).padStart(8, '0');
	const hash = hashCode(door.vault.keys.current(), [id, address, code]);
	// For everybody, so that a wrong code takes the same time for whoever is named.
	await storeCode(door.vault.database, { container_id: id, address, hash });
	const found = await findWithOwner(door, id);
	if (found === undefined) return;
	const { row, owner, seal } = found;
	if (address !== owner.address && !isNamed(seal.rules.recipients ?? [], address)) return;
	const text = `${owner.email} shared "${row.name}" with you. Your code to open it:

${code}

Enter it within ten minutes at:

${door.publicUrl}/c/${id}

If you didn't ask for this code, you can ignore this message.
`;
	await door.mailer.send({ to: address, subject: 'Your code to open a container', text });
}

/** A code that nobody can get yet is made later, within an hour. */
async function waitForMailServer(mailer: Mailer): Promise<void> {
	const end = Date.now() + HOUR_MS;
	while (!(await mailer.isReachable()) && Date.now() < end) await sleep(MAIL_RETRY_MS);
}

export async function proveAddress(door: Door, id: string, address: string, entered: string) {
	const digits = entered.normalize('NFKC').replace(/\D/g, '');
	const { database, keys } = door.vault;
	// Of the current key only: whoever has an old one, and writes to the database, makes no code.
	const hash = hashCode(keys.current(), [id, address, digits]);
	const code = { container_id: id, address, hash };
	return await database.transaction().execute((queries) => useCode(queries, code));
}

/** Keyed: eight digits are too few for a plain hash. */
const hashCode = (key: MasterKey, facts: string[]) =>
	createHmac('sha256', deriveKey(key, 'code')).update(JSON.stringify(facts)).digest('base64url');
