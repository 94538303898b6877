import cookie from '@fastify/cookie';
import formBody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { registerAccessRequests, toRefusalError } from './signIn/accessRoutes.mts';
import { authorize, needsPassword, RefusedError, type Door } from './door.mts';
import { sendArchive } from './view/archive.mts';
import {
	openInSession,
	openUnlessPasswordNeeded,
	authorizeRequest,
	keepSession,
} from './signIn/entry.mts';
import { sendPicture } from './view/filePictures.mts';
import { sendFile } from './view/files.mts';
import { createPage, rememberLanguage } from './language.mts';
import { failure, PAGE_HEADERS, PageError, sendFailurePage } from './pageErrors.mts';
import { readFields, readPageRequest } from './pageRequest.mts';
import { continuePage, incompletePage, passwordPage, rootPage, signInPage } from './pages.mts';
import { verifyPassword } from './signIn/passwords.mts';
import { registerRequests } from './send/requestRoutes.mts';
import type { SendDoor } from './send/senderVisit.mts';
import { showFiles } from './view/showFiles.mts';
import { verifyCode, handleCodeRequest, handleLanguage, handleLeave } from './signIn/signIn.mts';
import { findJump, readViewRequest, toViewUrl } from './view/viewUrl.mts';
import { registerAssets } from './assets.mts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export async function registerDoor(app: FastifyInstance, door: SendDoor): Promise<void> {
	await app.register(cookie);
	await app.register(formBody, { bodyLimit: 16 * 1024 });
	app.addHook('onRequest', async (request, reply) => {
		void reply.headers(PAGE_HEADERS);
		checkPageRequest(request);
		return switchLanguage(door, request, reply);
	});
	app.setErrorHandler(async (error: Error, request, reply) => {
		const isRefused = error instanceof RefusedError;
		const shown = isRefused ? toRefusalError(door, request, reply, error) : error;
		return await sendFailurePage(door.site, shown, request, reply);
	});
	app.setNotFoundHandler(() => {
		throw new PageError(404, (page) => rootPage(page, { isKnown: false }));
	});
	registerAssets(app, door.site);
	app.get('/', async (request) => rootPage(createPage(door.site, request), { isKnown: true }));
	registerLinks(app, door);
	await app.register(async (scope) => registerRequests(scope, door));
	app.get('/c/:id', async (request, reply) => await handlePage(door, request, reply));
	app.post('/c/:id/open', async (request, reply) => await handleCode(door, request, reply));
	app.post('/c/:id/password', async (request, reply) => await handlePassword(door, request, reply));
	app.post('/c/:id/continue', async (request, reply) => await handleContinue(door, request, reply));
	registerAccessRequests(app, door);
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

/** What files and requests for files have in common. */
function registerLinks(app: FastifyInstance, door: Door): void {
	for (const link of ['/c/:id', '/r/:id']) {
		app.post(`${link}/code`, async (...call) => await handleCodeRequest(door, ...call));
		app.post(`${link}/language`, async (...call) => handleLanguage(door, ...call));
		app.post(`${link}/leave`, async (...call) => await handleLeave(door, ...call));
		// A browser that shows a page again, such as a phone's a day later, asks where its form was sent.
		app.get(`${link}/:step`, async (request, reply) => {
			return reply.redirect(readPageRequest(request).path, 303);
		});
	}
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
	const visit = await authorizeRequest(door, request);
	if (visit === undefined) return signInPage(page);
	keepSession(door, visit, { request, reply });
	const signedIn = { ...page, visitor: visit.address };
	if (needsPassword(visit)) return passwordPage(signedIn, visit.owner);
	if (!visit.isOpen) return continuePage(page, visit.address, visit.owner);
	return await showFiles({ door, visit, log: request.log }, signedIn, request.query as object);
}

async function handleCode(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const proven = await verifyCode(door, request, reply);
	const { id, path, ip } = readPageRequest(request);
	const visit = await authorize(door, { id, ip, session: proven });
	await openUnlessPasswordNeeded(door, visit, reply);
	return reply.redirect(path, 303);
}

/** Opens a container for whoever proved their address before. Only a click does so: an opening is counted. */
async function handleContinue(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const visit = await authorizeRequest(door, request);
	if (visit) await openUnlessPasswordNeeded(door, visit, reply);
	return reply.redirect(readPageRequest(request).path, 303);
}

async function handlePassword(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const { path } = readPageRequest(request);
	const visit = await authorizeRequest(door, request);
	if (visit === undefined) return reply.redirect(path, 303);
	const passwordKey = await verifyPassword(door, visit, readFields(request).password);
	await openInSession(door, { ...visit, passwordKey }, reply);
	return reply.redirect(path, 303);
}

async function handleFile(
	door: Door,
	request: FastifyRequest,
	reply: FastifyReply,
	send: typeof sendFile,
) {
	const visit = await authorizeRequest(door, request);
	if (!visit?.isOpen) return reply.redirect(readPageRequest(request).path, 303);
	return await send(door, visit, reply);
}
