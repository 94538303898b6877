import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNamed } from '../containers/addresses.mts';
import { isOwner } from '../containers/rules.mts';
import { deriveKey, lock, unlock } from '../containers/seal.mts';
import { HOUR_MS } from '../database/limits.mts';
import { findWithOwner, type Door } from './door.mts';

/** A browser takes it from this host only, and not from a site beside it. */
const COOKIE = '__Host-address';
const ATTRIBUTES = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const;
/** Longer than it takes to find out whether a container names an address. */
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
	const box = lock(getAddressKey(door), JSON.stringify(remembered), COOKIE);
	void reply.setCookie(COOKIE, box, { ...ATTRIBUTES, maxAge: (rememberHours * HOUR_MS) / 1000 });
}

export function forgetAddress(reply: FastifyReply): void {
	void reply.clearCookie(COOKIE, ATTRIBUTES);
}

/**
 * The address that this browser proved, where a container names it or belongs to it. Otherwise nothing, after the same
 * time: whether the container exists is nobody's business.
 */
export async function findRemembered(door: Door, request: FastifyRequest, id: string) {
	const address = readRemembered(door, request);
	if (address === undefined) return undefined;
	const lookup = isRecipient(door, id, address).catch((error: Error) => {
		// Whoever is named learns it with a code.
		request.log.error(error, "A container can't be looked up");
		return false;
	});
	const [isFound] = await Promise.all([lookup, sleep(LOOKUP_MS)]);
	return isFound ? address : undefined;
}

function readRemembered(door: Door, request: FastifyRequest): string | undefined {
	const text = unlock(getAddressKey(door), request.cookies[COOKIE] ?? '', COOKIE);
	if (text === undefined) return undefined;
	const { address, provenAt } = JSON.parse(text) as Remembered;
	return Date.now() < provenAt + door.rememberHours * HOUR_MS ? address : undefined;
}

async function isRecipient(door: Door, id: string, address: string): Promise<boolean> {
	const found = await findWithOwner(door, id);
	if (found === undefined) return false;
	return isOwner(found.owner, address) || isNamed(found.seal.rules.recipients ?? [], address);
}

const getAddressKey = ({ vault }: Door) => deriveKey(vault.keys.current(), 'address');
