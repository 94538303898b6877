import { createHmac, randomInt, randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import type { Texts } from '../../brand/texts.mts';
import { toNetwork, toSite } from '../../web/clientAddress.mts';
import { deriveKey, type MasterKey } from '../../containers/masterKeys.mts';
import { CODE_LIFE_MS, removeAttempts, storeCode, useCode } from '../../database/limits.mts';
import { countAttempts } from '../../containers/attempts.mts';
import { sendWhenReachable } from '../../mail/sendWhenReachable.mts';
import type { Mail } from '../../mail/mailer.mts';
import { createCodeMail } from './codeMail.mts';
import { toPlainDigits } from '../digits.mts';
import type { Door } from '../door.mts';
import type { Link } from '../links.mts';
import { findParties, isParty } from './parties.mts';
import { recordRefusedCode } from './refusedCodes.mts';

/** For a container or a request for files, in multiples of the codes for an address. */
const ADDRESSES_PER_LINK = 500;
/** An hour, from a network for an address and a link: as many as end a code. */
const WRONG_CODES = 5;

/** Who asks for a code or has one: an address in its normal form, and where they come from. */
interface CodeClaim {
	/** Of the container, or of the request for files. */
	id: string;
	address: string;
	ip: string;
}

/** Counts a request for a code, whether or not link and address exist. @returns how long to wait, or 0 and the ID of the code */
export async function countCodeRequest(door: Door, { id, address, ip }: CodeClaim) {
	const { codesPerIp, codesPerAddress } = door;
	const codeId = randomUUID();
	const [ofNetwork, ofSite] = listReturned(codeId);
	const wait = await countAttempts(door.vault, [
		{ id: ofNetwork, what: `code from ${toNetwork(ip)}`, limit: codesPerIp },
		{ id: ofSite, what: `code from ${toSite(ip)} for ${id}`, limit: codesPerIp },
		{ id: randomUUID(), what: `code for ${address} and ${id}`, limit: codesPerAddress },
		// A rule for a domain names as many addresses as somebody makes up.
		{ id: randomUUID(), what: `code for ${id}`, limit: codesPerAddress * ADDRESSES_PER_LINK },
	]);
	return { wait, codeId };
}

/** The counts that a code takes back when it is used, so that an office behind one router isn't locked out. */
const listReturned = (codeId: string) => [`${codeId} network`, `${codeId} site`];

interface CodeRequest extends Omit<CodeClaim, 'id'> {
	link: Link;
	codeId: string;
	/** Of the page that asked for the code. */
	texts: Texts;
}

/** So that many codes don't hold up the pages of others. */
const limitCodes = pLimit(5);
/** A code that nobody can get yet is made later. */
export async function sendCode(door: Door, request: CodeRequest): Promise<void> {
	await sendWhenReachable(
		door.mailer,
		async () => await limitCodes(prepareCodeMail, door, request),
	);
}

/** @returns a mail to the owner or to whom the rules name. Nobody else gets one, and the owner hears of that */
async function prepareCodeMail(door: Door, request: CodeRequest): Promise<Mail | undefined> {
	const { link, address, ip, codeId, texts } = request;
	const { id } = link;
	const code = String(randomInt(100_000_000)).padStart(8, '0');
	const hash = hashCode(door.vault.keys.current(), [id, address, code]);
	// For everybody, so that a wrong code takes the same time for whoever is named.
	await storeCode(door.vault.database, { id: codeId, container_id: id, address, hash });
	const parties = await findParties(door, link);
	if (parties === undefined) return undefined;
	if (!isParty(parties, address)) {
		await recordRefusedCode(door, { link, parties, address, ip });
		return undefined;
	}
	const until = Date.now() + CODE_LIFE_MS;
	const mail = { link, code, address, owner: parties.owner, until };
	return createCodeMail(door.site, texts, mail);
}

/**
 * Compares a code. Wrong ones count for the network too, so that nobody uses up all codes of somebody else.
 * @returns whether it is right, and how long to wait where there were too many wrong ones
 */
export async function proveAddress(door: Door, { id, address, ip }: CodeClaim, entered: string) {
	const { database, keys } = door.vault;
	const network = toNetwork(ip);
	const attempts = [
		{
			id: randomUUID(),
			what: `wrong code from ${network} for ${address} and ${id}`,
			limit: WRONG_CODES,
		},
		{ id: randomUUID(), what: `wrong code from ${network}`, limit: door.codesPerIp },
	];
	const wait = await countAttempts(door.vault, attempts);
	if (wait > 0) return { wait, isProven: false };
	const digits = toPlainDigits(entered).replace(/\D/g, '');
	// Of the current key only: whoever has an old one, and writes to the database, makes no code.
	const code = { container_id: id, address, hash: hashCode(keys.current(), [id, address, digits]) };
	const isProven = await database.transaction().execute(async (queries) => {
		const codeId = await useCode(queries, code);
		if (codeId === undefined) return false;
		const ids: string[] = attempts.map((attempt) => attempt.id);
		await removeAttempts(queries, ids.concat(listReturned(codeId)));
		return true;
	});
	return { wait, isProven };
}

/** Keyed: eight digits are too few for a plain hash. */
const hashCode = (key: MasterKey, facts: string[]) =>
	createHmac('sha256', deriveKey(key, 'code')).update(JSON.stringify(facts)).digest('base64url');
