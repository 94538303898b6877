import { createHmac, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { toNetwork } from '../containers/addressRanges.mts';
import { isNamed } from '../containers/addresses.mts';
import { findRefusal, type Refusal } from '../containers/rules.mts';
import { checkPassword, deriveKey, openSeal, type MasterKey } from '../containers/seal.mts';
import type { Vault } from '../containers/vault.mts';
import { addAttempt, removeAttempt, storeCode, useCode } from '../database/limits.mts';
import * as rows from '../database/queries.mts';
import { ServiceError } from '../errors.mts';
import type { Mailer } from '../mail/mailer.mts';
import { passwordPage, problemPage, refusalPage } from './pages.mts';

export interface Door {
	vault: Vault;
	mailer: Mailer;
	findCountry: (ip: string) => string | undefined;
	publicUrl: string;
	style: string;
	calendar: Intl.DateTimeFormat;
	codesPerAddress: number;
	codesPerIp: number;
}

/** What a recipient's browser keeps between requests. It is good for one container. */
export interface Session {
	/** Proven by a code, in its normal form. */
	address: string;
	/** Whether the container was opened; otherwise its password is still missing. */
	isOpen: boolean;
	/** What the password gave, in Base64. It opens nothing once the container is deleted. */
	passwordKey?: string;
}

export type Visit = Awaited<ReturnType<typeof arrive>>;
const MAX_WRONG_PASSWORDS = 5;

export const pageError = (statusCode: number, page: string) =>
	new ServiceError(statusCode, 'page', 'A page says why', { page });
export const failure = (statusCode: number, title: string, sentence: string) =>
	pageError(statusCode, problemPage({ title, sentence }));
export const missing = () =>
	failure(404, 'Container not found', "This container doesn't exist any more.");

async function findWithOwner({ vault: { database, keys } }: Door, id: string) {
	const row = await rows.findContainer(database, id);
	const owner = row && (await rows.findUser(database, 'id', row.owner_id));
	return row && owner && { row, owner, seal: openSeal(keys, row) };
}

/** Whoever comes is checked by all rules but the password and the number of openings. */
export async function arrive(door: Door, id: string, ip: string, session: Session) {
	const found = await findWithOwner(door, id);
	if (found === undefined) throw missing();
	const [country, today] = [door.findCountry(ip), door.calendar.format(new Date())];
	const visit = { ...found, ...session, path: `/c/${id}`, ip, country, today };
	const refusal = findRefusal(visit.seal.rules, visit);
	if (refusal) throw await refuse(door, visit, refusal);
	return visit;
}

/** Counts a request for a code, whether or not container and address exist. @returns nothing beyond a limit */
export async function countCodeRequest(door: Door, id: string, address: string, ip: string) {
	const { vault, codesPerIp, codesPerAddress: codes } = door;
	return await vault.database.transaction().execute(async (queries) => {
		const count = (what: string, limit: number) => addAttempt(queries, `code ${what}`, limit);
		if (!(await count(`from ${toNetwork(ip)}`, codesPerIp))) return undefined;
		// The last: a rule for a domain names as many addresses as somebody makes up.
		return (await count(`for ${address} and ${id}`, codes)) && count(`for ${id}`, codes * 500);
	});
}

/** So that many codes don't hold up the pages of others. */
const limitCodes = pLimit(5);
export const sendCode = async (door: Door, id: string, address: string) =>
	await limitCodes(createCode, door, id, address);

/** Mails a code to the owner and to whom the rules name, and to nobody else: the service is no mail relay. */
async function createCode(door: Door, id: string, address: string): Promise<void> {
	// A code that nobody can get yet is made later.
	for (let tries = 360; tries && !(await door.mailer.isReachable()); tries--) await sleep(10_000);
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

export async function proveAddress(door: Door, id: string, address: string, code: string) {
	const digits = code.normalize('NFKC').replace(/\D/g, '');
	const { database, keys } = door.vault;
	// A code can be older than the newest master key.
	const hashes = keys.all().map((key) => hashCode(key, [id, address, digits]));
	return await database.transaction().execute((queries) => useCode(queries, id, address, hashes));
}

/** Keyed: eight digits are too few for a plain hash. */
const hashCode = (key: MasterKey, facts: string[]) =>
	createHmac('sha256', deriveKey(key, 'code')).update(JSON.stringify(facts)).digest('base64url');

async function refuse(door: Door, visit: Visit, { reason, sentence }: Refusal) {
	const { row, owner, path, address: user, ip, country } = visit;
	const detail = { ip, country, reason };
	const event = { action: 'container.refuse', container: row, user, detail } as const;
	await door.vault.database.transaction().execute((queries) => rows.addEvent(queries, event));
	if (reason === 'password') return pageError(403, passwordPage({ path, problem: sentence }));
	return pageError(403, refusalPage({ sentence, owner: owner.email }));
}

export async function enterPassword(door: Door, visit: Visit, password: string): Promise<string> {
	const [{ database }, { address, row, seal, path }] = [door.vault, visit];
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

/** Checks all rules but the password, and counts the opening in the transaction that allows it. */
export async function openContainer(door: Door, visit: Visit): Promise<void> {
	const { owner, address: user, ip, country } = visit;
	const refusal = await door.vault.database.transaction().execute(async (queries) => {
		// The write comes first: from here on, others who open this container wait.
		const row = await rows.lockContainer(queries, visit.row.id);
		if (row === undefined) throw missing();
		const { rules } = openSeal(door.vault.keys, row);
		const refused = findRefusal(rules, { ...visit, opensUsed: row.opens_used });
		if (refused) return refused;
		const count = user === owner.address ? 0 : 1;
		await rows.updateContainer(queries, row.id, { opens_used: row.opens_used + count });
		const detail = { ip, country };
		await rows.addEvent(queries, { action: 'container.open', container: row, user, detail });
		return undefined;
	});
	if (refusal) throw await refuse(door, visit, refusal);
}
