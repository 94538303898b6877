import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { decryptText, encryptText } from '../../containers/encryptText.mts';
import { deriveKey } from '../../containers/masterKeys.mts';
import { HOUR_MS } from '../../database/limits.mts';
import type { Door } from '../door.mts';
import type { Link } from '../links.mts';
import { findParties, isParty } from './parties.mts';

/** A browser takes it from this host only, and not from a site beside it. */
const COOKIE = '__Host-address';
const ATTRIBUTES = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const;
/** Longer than it takes to find out whether a container, or a request for files, names an address. */
const LOOKUP_MS = 100;

interface Remembered {
	/** Proven by a code, in its normal form. */
	address: string;
	provenAt: number;
}

/**
 * Keeps an address that was proven, so that other files of the same day need no other code. It is no session, and no
 * password. As for sessions, only the current master key counts.
 */
export function rememberAddress(door: Door, reply: FastifyReply, address: string): void {
	const { rememberHours } = door;
	if (rememberHours === 0) return;
	const remembered: Remembered = { address, provenAt: Date.now() };
	const box = encryptText(getAddressKey(door), JSON.stringify(remembered), COOKIE);
	void reply.setCookie(COOKIE, box, { ...ATTRIBUTES, maxAge: (rememberHours * HOUR_MS) / 1000 });
}

export function forgetAddress(reply: FastifyReply): void {
	void reply.clearCookie(COOKIE, ATTRIBUTES);
}

/**
 * The address that this browser proved, where what the link leads to names it or belongs to it. Otherwise nothing, after
 * the same time: whether there is such a thing is nobody's business.
 */
export async function findRemembered(door: Door, request: FastifyRequest, link: Link) {
	const address = readRemembered(door, request);
	if (address === undefined) return undefined;
	const lookup = isKnownTo(door, link, address).catch((error: Error) => {
		// Whoever is named learns it with a code.
		request.log.error(error, "A link can't be looked up");
		return false;
	});
	const [isFound] = await Promise.all([lookup, sleep(LOOKUP_MS)]);
	return isFound ? address : undefined;
}

function readRemembered(door: Door, request: FastifyRequest): string | undefined {
	const text = decryptText(getAddressKey(door), request.cookies[COOKIE] ?? '', COOKIE);
	if (text === undefined) return undefined;
	const { address, provenAt } = JSON.parse(text) as Remembered;
	return Date.now() < provenAt + door.rememberHours * HOUR_MS ? address : undefined;
}

async function isKnownTo(door: Door, link: Link, address: string): Promise<boolean> {
	const parties = await findParties(door, link);
	return parties !== undefined && isParty(parties, address);
}

const getAddressKey = ({ vault }: Door) => deriveKey(vault.keys.current(), 'address');
