import cookie from '@fastify/cookie';
import formBody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { normalizeAddress } from '../containers/addresses.mts';
import { getClientIp } from '../containers/clientAddress.mts';
import { countCodeRequest, proveAddress, sendCode } from './codes.mts';
import { arrive, openContainer, type Door, type Visit } from './door.mts';
import { sendFile, showFiles } from './files.mts';
import { createPage, rememberLanguage } from './language.mts';
import { failure, PAGE_HEADERS, PageError, sendFailurePage, TooManyError } from './pageErrors.mts';
import { codePage, incompletePage, passwordPage, rootPage, signInPage } from './pages.mts';
import { enterPassword } from './passwords.mts';
import { endSession, readSession, startSession } from './sessions.mts';
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
		return await sendFailurePage(door.site, error, request, reply);
	});
	app.setNotFoundHandler(() => {
		throw new PageError(404, (page) => rootPage(page, { isKnown: false }));
	});
	registerAssets(app, door.site);
	app.get('/', async (request) => rootPage(createPage(door.site, request), { isKnown: true }));
	app.get('/c/:id', async (request) => await handlePage(door, request));
	app.post('/c/:id/code', async (request, reply) => await handleCodeRequest(door, request, reply));
	app.post('/c/:id/language', async (request, reply) => handleLanguage(door, request, reply));
	app.post('/c/:id/open', async (request, reply) => await handleCode(door, request, reply));
	app.post('/c/:id/password', async (request, reply) => await handlePassword(door, request, reply));
	app.post('/c/:id/leave', async (request, reply) =>
		endSession(reply, readPageRequest(request).path),
	);
	app.get('/c/:id/files/:index', async (request, reply) => await handleFile(door, request, reply));
}

/** @throws PageError */
function checkPageRequest({ params, method, headers }: FastifyRequest): void {
	const { id } = params as { id?: string };
	if (id !== undefined && !UUID.test(id)) throw new PageError(404, incompletePage);
	// A form on another site must not open a container in somebody's name.
	if (method === 'POST' && headers['sec-fetch-site'] === 'cross-site') {
		throw failure(403, 'failure.title', 'failure.form');
	}
}

/** A link at the foot of a page chooses a language, and leads to the same page. */
function switchLanguage({ site }: Door, request: FastifyRequest, reply: FastifyReply) {
	const { lang } = request.query as { lang?: unknown };
	const isSwitch = request.method === 'GET' && lang !== undefined;
	if (!isSwitch || rememberLanguage(site, reply, lang) === undefined) return undefined;
	return reply.redirect(createPage(site, request).path, 303);
}

async function handlePage(door: Door, request: FastifyRequest): Promise<string> {
	const page = createPage(door.site, request);
	const visit = await findVisit(door, request);
	if (visit === undefined) return signInPage(page);
	const signedIn = { ...page, visitor: visit.address };
	if (!visit.isOpen) return passwordPage(signedIn, visit.owner.email);
	return await showFiles(door, visit, { page: signedIn, log: request.log });
}

async function handleCodeRequest(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const { id, ip, email } = readPageRequest(request);
	const page = createPage(door.site, request);
	const address = normalizeAddress(email);
	if (address === undefined) {
		throw new PageError(400, () => signInPage(page, { email, isProblem: true }));
	}
	const { wait, requestId } = await countCodeRequest(door, { id, address, ip });
	if (wait > 0) {
		throw new TooManyError(wait, () => codePage(page, { email, problem: 'refused', wait }));
	}
	const problem = (await door.mailer.isReachable()) ? undefined : 'late';
	await reply.send(codePage(page, { email, problem }));
	// After the response, so that its time tells nobody whether the container and the address exist.
	await sendCode(door, { id, address, requestId, texts: page.texts }).catch((error: Error) => {
		request.log.error(error, "A code couldn't be sent");
	});
}

/** Shows the page for a code again, in another language. */
function handleLanguage(door: Door, request: FastifyRequest, reply: FastifyReply): string {
	const { email, lang } = readPageRequest(request);
	const page = createPage(door.site, request);
	const texts = rememberLanguage(door.site, reply, lang) ?? page.texts;
	return codePage({ ...page, texts }, { email });
}

async function handleCode(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const { id, ip, email, code } = readPageRequest(request);
	const address = normalizeAddress(email) ?? '';
	const { wait, isProven } = await proveAddress(door, { id, address, ip }, code);
	if (wait > 0) {
		throw new TooManyError(wait, (page) => codePage(page, { email, problem: 'blocked', wait }));
	}
	if (!isProven) {
		throw new PageError(403, (page) => codePage(page, { email, problem: 'wrong' }));
	}
	const visit = await arrive(door, id, ip, { address, isOpen: false });
	const isOpen = 'identity' in visit.seal.secret;
	if (isOpen) await openContainer(door, visit);
	return startSession(door, reply, { ...visit, isOpen });
}

async function handlePassword(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const { path, password } = readPageRequest(request);
	const visit = await findVisit(door, request);
	if (visit === undefined) return reply.redirect(path, 303);
	const passwordKey = await enterPassword(door, visit, password);
	await openContainer(door, visit);
	return startSession(door, reply, { ...visit, passwordKey, isOpen: true });
}

async function handleFile(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const visit = await findVisit(door, request);
	if (!visit?.isOpen) return reply.redirect(readPageRequest(request).path, 303);
	return await sendFile(door, visit, reply);
}

/** What a request says. A field that is missing or comes twice is empty. */
function readPageRequest(request: FastifyRequest) {
	const id = (request.params as { id: string }).id.toLowerCase();
	const fields = (request.body ?? {}) as Record<string, unknown>;
	const getField = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
	return {
		id,
		path: `/c/${id}`,
		ip: getClientIp(request),
		email: getField('email'),
		code: getField('code'),
		password: getField('password'),
		lang: getField('lang'),
	};
}

async function findVisit(door: Door, request: FastifyRequest): Promise<Visit | undefined> {
	const { id, ip } = readPageRequest(request);
	const session = readSession(door, request, id);
	return session && (await arrive(door, id, ip, session));
}
