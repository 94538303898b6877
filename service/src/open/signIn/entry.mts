import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorize, needsPassword, openContainer } from '../door.mts';
import type { Door, Session, Visit } from '../door.mts';
import type { Link } from '../links.mts';
import { readPageRequest } from '../pageRequest.mts';
import { findRemembered } from './remembered.mts';
import { createSession, readSession, startSession } from './sessions.mts';

/** Checks whoever comes with a session, or with an address that this browser proved; nothing for anybody else. @throws RefusedError */
export async function authorizeRequest(
	door: Door,
	request: FastifyRequest,
): Promise<Visit | undefined> {
	const { ip, ...link } = readPageRequest(request);
	const session = await findSession(door, request, link);
	return session && (await authorize(door, { id: link.id, ip, session }));
}

/** The session at a link, or one for an address that this browser proved at another. */
export async function findSession(
	door: Door,
	request: FastifyRequest,
	link: Link,
): Promise<Session | undefined> {
	const session = readSession(door, request, link.id);
	if (session !== undefined) return session;
	const address = await findRemembered(door, request, link);
	return address === undefined ? undefined : createSession(address);
}

/** Begins a session where a remembered address was enough, so that two clicks on its page are in one. */
export function keepSession(
	door: Door,
	{ row: { id }, ...visit }: Visit,
	{ request, reply }: { request: FastifyRequest; reply: FastifyReply },
): void {
	if (readSession(door, request, id) === undefined) startSession(door, reply, { ...visit, id });
}

/** Opens a container, unless it is open, or a password is missing: then the page asks for it. */
export async function openUnlessPasswordNeeded(door: Door, visit: Visit, reply: FastifyReply) {
	if (!visit.isOpen && !needsPassword(visit)) await openInSession(door, visit, reply);
}

export async function openInSession(door: Door, visit: Visit, reply: FastifyReply): Promise<void> {
	await openContainer(door, visit);
	startSession(door, reply, { ...visit, id: visit.row.id, isOpen: true });
}
