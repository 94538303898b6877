import type { FastifyReply, FastifyRequest } from 'fastify';
import { deriveKey, lock, unlock } from '../containers/seal.mts';
import type { Door, Session, Visit } from './door.mts';

const COOKIE = 'session';
const SESSION_MS = 30 * 60 * 1000;

/** A session is an encrypted cookie of one container. @returns nothing where there is none that is valid */
export function readSession(
	{ vault }: Door,
	request: FastifyRequest,
	id: string,
): Session | undefined {
	const [keyId, box = ''] = (request.cookies[COOKIE] ?? '').split('.');
	const key = vault.keys.find(keyId);
	const text = key && unlock(deriveKey(key, 'session'), box, id);
	if (text === undefined) return undefined;
	const session = JSON.parse(text) as Session & { expires: number };
	return session.expires > Date.now() ? session : undefined;
}

export function startSession({ vault }: Door, reply: FastifyReply, visit: Visit) {
	const { row, path, address, isOpen, passwordKey } = visit;
	const key = vault.keys.current();
	const session = { address, isOpen, passwordKey, expires: Date.now() + SESSION_MS };
	const box = lock(deriveKey(key, 'session'), JSON.stringify(session), row.id);
	// Strict would ask again after a click in a web mailer.
	const attributes = { path, httpOnly: true, secure: true, sameSite: 'lax' } as const;
	void reply.setCookie(COOKIE, `${key.id}.${box}`, { ...attributes, maxAge: SESSION_MS / 1000 });
	return reply.redirect(path, 303);
}
