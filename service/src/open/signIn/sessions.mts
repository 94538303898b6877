import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { decryptText, encryptText } from '../../containers/encryptText.mts';
import { deriveKey } from '../../containers/masterKeys.mts';
import type { Door, Session } from '../door.mts';
import type { Link } from '../links.mts';

const COOKIE = 'session';
const SESSION_MS = 30 * 60 * 1000;

/**
 * A session is an encrypted cookie of one container, or one request for files. Only the current master key counts: one that leaked makes
 * no session after a rotation. @returns nothing where there is none that is valid
 */
export function readSession(
	{ vault }: Door,
	request: FastifyRequest,
	id: string,
): Session | undefined {
	const box = request.cookies[COOKIE] ?? '';
	const text = decryptText(deriveKey(vault.keys.current(), 'session'), box, id);
	if (text === undefined) return undefined;
	const session = JSON.parse(text) as Session;
	return session.sessionEnd > Date.now() ? session : undefined;
}

/** What a session begins with when an address was proven. */
export function createSession(address: string): Session {
	const sessionEnd = Date.now() + SESSION_MS;
	return { sessionId: randomUUID(), sessionEnd, address, isOpen: false };
}

/** Where it is good. */
type NewSession = Session & Pick<Link, 'id' | 'path'>;

export function startSession({ vault }: Door, reply: FastifyReply, started: NewSession): void {
	const { id, path, sessionId, address, isOpen, isOwner, passwordKey } = started;
	const sessionEnd = Date.now() + SESSION_MS;
	const session: Session = { sessionId, sessionEnd, address, isOpen, isOwner, passwordKey };
	const key = deriveKey(vault.keys.current(), 'session');
	const box = encryptText(key, JSON.stringify(session), id);
	// Strict would ask again after a click in a web mailer.
	const attributes = { path, httpOnly: true, secure: true, sameSite: 'lax' } as const;
	void reply.setCookie(COOKIE, box, { ...attributes, maxAge: SESSION_MS / 1000 });
}

export function endSession(reply: FastifyReply, path: string): void {
	void reply.clearCookie(COOKIE, { path, httpOnly: true, secure: true, sameSite: 'lax' });
}
