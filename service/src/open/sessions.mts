import type { FastifyReply, FastifyRequest } from 'fastify';
import { deriveKey, lock, unlock } from '../containers/seal.mts';
import type { Door, Session, Visit } from './door.mts';

const COOKIE = 'session';
const SESSION_MS = 30 * 60 * 1000;

/**
 * A session is an encrypted cookie of one container. Only the current master key counts: one that leaked makes
 * no session after a rotation. @returns nothing where there is none that is valid
 */
export function readSession(
	{ vault }: Door,
	request: FastifyRequest,
	id: string,
): Session | undefined {
	const box = request.cookies[COOKIE] ?? '';
	const text = unlock(deriveKey(vault.keys.current(), 'session'), box, id);
	if (text === undefined) return undefined;
	const session = JSON.parse(text) as Session & { expires: number };
	return session.expires > Date.now() ? session : undefined;
}

export function startSession({ vault }: Door, reply: FastifyReply, visit: Visit) {
	const { row, path, address, isOpen, passwordKey } = visit;
	const session = { address, isOpen, passwordKey, expires: Date.now() + SESSION_MS };
	const key = deriveKey(vault.keys.current(), 'session');
	const box = lock(key, JSON.stringify(session), row.id);
	// Strict would ask again after a click in a web mailer.
	const attributes = { path, httpOnly: true, secure: true, sameSite: 'lax' } as const;
	void reply.setCookie(COOKIE, box, { ...attributes, maxAge: SESSION_MS / 1000 });
	return reply.redirect(path, 303);
}

export function endSession(reply: FastifyReply, path: string) {
	void reply.clearCookie(COOKIE, { path, httpOnly: true, secure: true, sameSite: 'lax' });
	return reply.redirect(path, 303);
}
