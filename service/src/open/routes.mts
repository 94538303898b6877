import cookie from '@fastify/cookie';
import formBody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { normalizeAddress } from '../containers/addresses.mts';
import { recordViews } from '../containers/views.mts';
import { countCodeRequest, proveAddress, sendCode } from './codes.mts';
import { registerAccessRequests, toRefusalPage } from './accessRoutes.mts';
import { endAddressProofs } from './addressProofs.mts';
import { arrive, needsPassword, RefusedError, type Door } from './door.mts';
import { sendArchive } from './archive.mts';
import { enter, enterUnlessLocked, findVisitor } from './entry.mts';
import { sendPicture } from './filePictures.mts';
import { sendFile } from './files.mts';
import { createPage, rememberLanguage } from './language.mts';
import { failure, PAGE_HEADERS, PageError, sendFailurePage, TooManyError } from './pageErrors.mts';
import { readFields, readPageRequest } from './pageRequest.mts';
import {
	codePage,
	continuePage,
	incompletePage,
	passwordPage,
	rootPage,
	signInPage,
} from './pages.mts';
import { enterPassword } from './passwords.mts';
import { forgetAddress, rememberAddress } from './remembered.mts';
import { createSession, endSession, readSession, startSession } from './sessions.mts';
import { showFiles } from './showFiles.mts';
import { findJump, readViewRequest, toViewUrl } from './viewUrl.mts';
import { registerAssets } from './assets.mts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export async function registerDoor(app: FastifyInstance, door: Door): Promise<void> {
	await app.register(cookie);
	await app.register(formBody, { bodyLimit: 16 * 1024 });
	app.addHook('onRequest', async (request, reply) => {
		void reply.headers(PAGE_HEADERS);
		checkPageRequest(request);
		return switchLanguage(door, request, reply);
	});
	app.setErrorHandler(async (error: Error, request, reply) => {
		const isRefused = error instanceof RefusedError;
		const shown = isRefused ? toRefusalPage(door, request, reply, error) : error;
		return await sendFailurePage(door.site, shown, request, reply);
	});
	app.setNotFoundHandler(() => {
		throw new PageError(404, (page) => rootPage(page, { isKnown: false }));
	});
	registerAssets(app, door.site);
	app.get('/', async (request) => rootPage(createPage(door.site, request), { isKnown: true }));
	app.get('/c/:id', async (request, reply) => await handlePage(door, request, reply));
	app.post('/c/:id/code', async (request, reply) => await handleCodeRequest(door, request, reply));
	app.post('/c/:id/language', async (request, reply) => handleLanguage(door, request, reply));
	app.post('/c/:id/open', async (request, reply) => await handleCode(door, request, reply));
	app.post('/c/:id/password', async (request, reply) => await handlePassword(door, request, reply));
	app.post('/c/:id/continue', async (request, reply) => await handleContinue(door, request, reply));
	registerAccessRequests(app, door);
	app.post('/c/:id/leave', async (request, reply) => await handleLeave(door, request, reply));
	app.get('/c/:id/files/:index', async (request, reply) => {
		return await handleFile(door, request, reply, sendFile);
	});
	app.get('/c/:id/files/:index/pages/:page', async (request, reply) => {
		return await handleFile(door, request, reply, sendPicture);
	});
	app.get('/c/:id/files.zip', async (request, reply) => {
		return await handleFile(door, request, reply, sendArchive);
	});
}

/** @throws PageError */
function checkPageRequest({ params, method, headers }: FastifyRequest): void {
	const { id } = params as { id?: string };
	if (id !== undefined && !UUID.test(id)) throw new PageError(404, incompletePage);
	// A form on another site, or one beside it, must not open a container in somebody's name. Old browsers don't say it.
	const site = headers['sec-fetch-site'] ?? 'none';
	if (method === 'POST' && !['same-origin', 'none'].includes(String(site))) {
		throw failure(403, 'failure.title', 'failure.form');
	}
}

/** A link at the foot of a page chooses a language, and leads to the same page. */
function switchLanguage({ site }: Door, request: FastifyRequest, reply: FastifyReply) {
	const { lang } = request.query as { lang?: unknown };
	const isSwitch = request.method === 'GET' && lang !== undefined;
	if (!isSwitch || rememberLanguage(site, reply, lang) === undefined) return undefined;
	const view = readViewRequest(request.query as Record<string, unknown>);
	return reply.redirect(toViewUrl(createPage(site, request).path, view), 303);
}

async function handlePage(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const page = createPage(door.site, request);
	const jump = findJump(page.path, request.query as Record<string, unknown>);
	if (jump !== undefined) return reply.redirect(jump, 303);
	const visit = await findVisitor(door, request);
	if (visit === undefined) return signInPage(page);
	const signedIn = { ...page, visitor: visit.address };
	if (needsPassword(visit)) return passwordPage(signedIn, visit.owner);
	if (!visit.isOpen) return continuePage(page, visit.address, visit.owner);
	return await showFiles({ door, visit, log: request.log }, signedIn, request.query as object);
}

async function handleCodeRequest(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const { id, ip } = readPageRequest(request);
	const { email } = readFields(request);
	const page = createPage(door.site, request);
	const address = normalizeAddress(email);
	if (address === undefined) {
		throw new PageError(400, () => signInPage(page, { email, problem: 'address' }));
	}
	const { wait, requestId } = await countCodeRequest(door, { id, address, ip });
	if (wait > 0) {
		throw new TooManyError(wait, () => codePage(page, { email, problem: 'refused', wait }));
	}
	const problem = (await door.mailer.isReachable()) ? undefined : 'late';
	await reply.send(codePage(page, { email, problem }));
	// After the response, so that its time tells nobody whether the container and the address exist.
	const code = { id, address, ip, requestId, texts: page.texts };
	await sendCode(door, code).catch((error: Error) => {
		request.log.error(error, "A code couldn't be sent");
	});
}

/** Shows the page for a code again, in another language. */
function handleLanguage(door: Door, request: FastifyRequest, reply: FastifyReply): string {
	const { email, lang } = readFields(request);
	const page = createPage(door.site, request);
	const texts = rememberLanguage(door.site, reply, lang) ?? page.texts;
	return codePage({ ...page, texts }, { email });
}

async function handleCode(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const { id, path, ip } = readPageRequest(request);
	const { email, code } = readFields(request);
	const address = normalizeAddress(email) ?? '';
	const { wait, isProven } = await proveAddress(door, { id, address, ip }, code);
	if (wait > 0) {
		throw new TooManyError(wait, (page) => codePage(page, { email, problem: 'blocked', wait }));
	}
	if (!isProven) {
		throw new PageError(403, (page) => codePage(page, { email, problem: 'wrong' }));
	}
	rememberAddress(door, reply, address);
	const proven = createSession(address);
	// Also for whoever is refused: the page that says so can be shown again, such as in another language.
	startSession(door, reply, { id, ...proven });
	const visit = await arrive(door, { id, ip, session: proven });
	await enterUnlessLocked(door, visit, reply);
	return reply.redirect(path, 303);
}

/** Opens a container for whoever proved their address before. Only a click does so: an opening is counted. */
async function handleContinue(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const visit = await findVisitor(door, request);
	if (visit) await enterUnlessLocked(door, visit, reply);
	return reply.redirect(readPageRequest(request).path, 303);
}

async function handlePassword(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const { path } = readPageRequest(request);
	const visit = await findVisitor(door, request);
	if (visit === undefined) return reply.redirect(path, 303);
	const passwordKey = await enterPassword(door, visit, readFields(request).password);
	await enter(door, { ...visit, passwordKey }, reply);
	return reply.redirect(path, 303);
}

async function handleFile(
	door: Door,
	request: FastifyRequest,
	reply: FastifyReply,
	send: typeof sendFile,
) {
	const visit = await findVisitor(door, request);
	if (!visit?.isOpen) return reply.redirect(readPageRequest(request).path, 303);
	return await send(door, visit, reply);
}

async function handleLeave(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const { id, path } = readPageRequest(request);
	const session = readSession(door, request, id);
	if (session) await recordViews(door.vault, session);
	endSession(reply, id);
	endAddressProofs(reply, id);
	forgetAddress(reply);
	return reply.redirect(path, 303);
}
