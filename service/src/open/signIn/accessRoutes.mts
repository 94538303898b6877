import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isTooLong, requestAccess, toNote } from './accessRequests.mts';
import { createAddressProof, readAddressProof, type AddressProof } from './addressProofs.mts';
import { isThere } from '../contact.mts';
import { authorize, findRefusalOf, loadVisit, needsPassword, RefusedError } from '../door.mts';
import type { Door } from '../door.mts';
import { openUnlessPasswordNeeded } from './entry.mts';
import { createPage, rememberLanguage } from '../language.mts';
import { PageError, TooManyError } from '../pageErrors.mts';
import { readFields, readPageRequest } from '../pageRequest.mts';
import { signInPage } from '../pages.mts';
import { askedPage, refusedPage, type UnsentRequest } from './refusedPages.mts';
import { createSession, readSession, startSession } from './sessions.mts';
import type { PageContext } from '../templates.mts';

/** After a refusal, somebody can ask for access, and try again. */
export function registerAccessRequests(app: FastifyInstance, door: Door): void {
	app.post('/c/:id/access', async (request, reply) => await handleAccess(door, request, reply));
	app.post('/c/:id/again', async (request, reply) => await handleAgain(door, request, reply));
}

type RefusedWithProof = Pick<RefusedError, 'visit' | 'refusal'> & { proof: string };

/** A refusal becomes a page whose form can ask for access. */
export function toRefusalError(
	door: Door,
	request: FastifyRequest,
	reply: FastifyReply,
	{ visit, refusal }: RefusedError,
): PageError {
	const { row, address } = visit;
	const proven = { id: row.id, address, reason: refusal.reason };
	const proof = createAddressProof(door, request, reply, proven);
	return new PageError(403, (page) => showRefusal(page, { visit, refusal, proof }));
}

function showRefusal(
	page: PageContext,
	{ visit, refusal, proof }: RefusedWithProof,
	unsent?: UnsentRequest,
) {
	const { address, owner, row } = visit;
	const refused = { refusal, address, owner, endedDay: row.ended_day, proof };
	return refusedPage({ ...page, visitor: address }, refused, unsent);
}

async function handleAccess(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const { id, ip, path } = readPageRequest(request);
	const { proof, lang, note: entered } = readFields(request);
	const { address, reason, formId } = checkProof(door, request, id);
	const visit = await loadVisit(door, { id, ip, session: createSession(address) });
	const checksOpens = reason === 'opens' || !needsPassword(visit);
	const refusal = findRefusalOf(visit, { checksOpens });
	// Somebody gave access meanwhile.
	if (refusal === undefined) return reply.redirect(path, 303);
	if (!isThere(visit.owner)) throw new RefusedError(visit, refusal);
	const note = toNote(entered);
	await askOwner(door, { visit, refusal, proof }, { formId, note });
	const page = createPage(door.site, request);
	const texts = rememberLanguage(door.site, reply, lang) ?? page.texts;
	return askedPage({ ...page, texts, visitor: address }, { owner: visit.owner, proof, note });
}

/** @throws PageError with the form again, where the request is not sent */
async function askOwner(
	door: Door,
	refused: RefusedWithProof,
	form: { formId: string; note: string },
) {
	const { visit, refusal } = refused;
	const showUnsent = (unsent: Omit<UnsentRequest, 'note'>) => (page: PageContext) =>
		showRefusal(page, refused, { note: form.note, ...unsent });
	if (isTooLong(form.note)) throw new PageError(400, showUnsent({ problem: 'tooLong' }));
	const wait = await requestAccess(door, { visit, reason: refusal.reason, ...form });
	if (wait > 0) throw new TooManyError(wait, showUnsent({ problem: 'tooMany', wait }));
}

/** Opens the container without another code, where a rule doesn't refuse any more. The opening is counted. */
async function handleAgain(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const { id, ip, path } = readPageRequest(request);
	const { address, formId } = checkProof(door, request, id);
	const known = readSession(door, request, id);
	const created = { ...createSession(address), sessionId: formId };
	const session = known?.address === address ? known : created;
	const visit = await authorize(door, { id, ip, session });
	if (needsPassword(visit)) startSession(door, reply, { id, path, ...session });
	await openUnlessPasswordNeeded(door, visit, reply);
	return reply.redirect(path, 303);
}

/** @throws PageError where the form proves nothing. It is the same for each container, and for none. */
function checkProof(door: Door, request: FastifyRequest, id: string): AddressProof {
	const proof = readAddressProof(door, request, id);
	if (proof !== undefined) return proof;
	throw new PageError(403, (page) => signInPage(page, { problem: 'expired' }));
}
