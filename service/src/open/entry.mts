import type { FastifyReply, FastifyRequest } from 'fastify';
import { arrive, needsPassword, openContainer } from './door.mts';
import type { Door, Visit } from './door.mts';
import { readPageRequest } from './pageRequest.mts';
import { findRemembered } from './remembered.mts';
import { createSession, readSession, startSession } from './sessions.mts';

/** Whoever comes with a session, or with an address that this browser proved; nothing for anybody else. */
export async function findVisitor(door: Door, request: FastifyRequest): Promise<Visit | undefined> {
	const { id, ip } = readPageRequest(request);
	const session = readSession(door, request, id);
	if (session !== undefined) return await arrive(door, { id, ip, session });
	const address = await findRemembered(door, request, id);
	if (address === undefined) return undefined;
	return await arrive(door, { id, ip, session: createSession(address) });
}

/** Opens a container, where only a password can still be missing: then the page asks for it. */
export async function enterUnlessLocked(door: Door, visit: Visit, reply: FastifyReply) {
	if (!visit.isOpen && !needsPassword(visit)) await enter(door, visit, reply);
}

export async function enter(door: Door, visit: Visit, reply: FastifyReply): Promise<void> {
	await openContainer(door, visit);
	startSession(door, reply, { ...visit, id: visit.row.id, isOpen: true });
}
