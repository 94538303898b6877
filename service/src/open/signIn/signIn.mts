import type { FastifyReply, FastifyRequest } from 'fastify';
import { normalizeAddress } from '../../containers/addresses.mts';
import { recordViews } from '../../containers/views.mts';
import { endAddressProofs } from './addressProofs.mts';
import { countCodeRequest, proveAddress, sendCode } from './codes.mts';
import type { Door, Session } from '../door.mts';
import { createPage, rememberLanguage } from '../language.mts';
import { PageError, TooManyError } from '../pageErrors.mts';
import { readFields, readPageRequest } from '../pageRequest.mts';
import { codePage, signInPage } from '../pages.mts';
import { forgetAddress, rememberAddress } from './remembered.mts';
import { createSession, endSession, readSession, startSession } from './sessions.mts';

// The door of every link: who comes proves their address.

export async function handleCodeRequest(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const { ip, ...link } = readPageRequest(request);
	const { email } = readFields(request);
	const page = createPage(door.site, request);
	const address = normalizeAddress(email);
	if (address === undefined) {
		throw new PageError(400, () => signInPage(page, { email, problem: 'address' }));
	}
	const { wait, codeId } = await countCodeRequest(door, { id: link.id, address, ip });
	if (wait > 0) {
		throw new TooManyError(wait, () => codePage(page, { email, problem: 'refused', wait }));
	}
	const problem = (await door.mailer.isReachable()) ? undefined : 'late';
	await reply.send(codePage(page, { email, problem }));
	// After the response, so that its time tells nobody whether the link leads anywhere, and names the address.
	const code = { link, address, ip, codeId, texts: page.texts };
	await sendCode(door, code).catch((error: Error) => {
		request.log.error(error, "A code couldn't be sent");
	});
}

/** Shows the page for a code again, in another language. */
export function handleLanguage(door: Door, request: FastifyRequest, reply: FastifyReply): string {
	const { email, lang } = readFields(request);
	const page = createPage(door.site, request);
	const texts = rememberLanguage(door.site, reply, lang) ?? page.texts;
	return codePage({ ...page, texts }, { email });
}

/** Begins a session for whoever has the code. @throws PageError */
export async function verifyCode(
	door: Door,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<Session> {
	const { ip, ...link } = readPageRequest(request);
	const { email, code } = readFields(request);
	const address = normalizeAddress(email) ?? '';
	const claim = { id: link.id, address, ip };
	const { wait, isProven } = await proveAddress(door, claim, code);
	if (wait > 0) {
		throw new TooManyError(wait, (page) => codePage(page, { email, problem: 'blocked', wait }));
	}
	const known = readSession(door, request, link.id);
	// A second click sends a code again that the first one used up.
	if (!isProven && known?.address === address) return known;
	if (!isProven) {
		throw new PageError(403, (page) => codePage(page, { email, problem: 'wrong' }));
	}
	rememberAddress(door, reply, address);
	const proven = createSession(address);
	// Also for whoever is refused: the page that says so can be shown again, such as in another language.
	startSession(door, reply, { ...link, ...proven });
	return proven;
}

export async function handleLeave(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const { id, path } = readPageRequest(request);
	const session = readSession(door, request, id);
	if (session) await recordViews(door.vault, session);
	endSession(reply, path);
	endAddressProofs(reply, id);
	forgetAddress(reply);
	return reply.redirect(path, 303);
}
