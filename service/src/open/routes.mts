import cookie from '@fastify/cookie';
import formBody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { normalizeAddress } from '../containers/addresses.mts';
import type { Refusal } from '../containers/policy.mts';
import {
	countCodeRequest,
	enterPassword,
	examine,
	findSeenContainer,
	openContainer,
	proveAddress,
	sendCode,
	type Door,
	type SeenContainer,
	type Visitor,
} from './door.mts';
import { showContainer, sendFile } from './files.mts';
import { codePage, passwordPage, problemPage, refusalPage, signInPage } from './pages.mts';
import { openSession, sealSession, SESSION_MS, type Session } from './session.mts';

interface Form {
	email?: string;
	code?: string;
	password?: string;
}

const COOKIE = 'session';
const FORM_BYTES = 16 * 1024;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

const PAGE_HEADERS = {
	'Content-Security-Policy':
		"default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	'X-Content-Type-Options': 'nosniff',
	'Referrer-Policy': 'same-origin',
	'Cache-Control': 'no-store',
};

const MISSING = {
	title: 'Container not found',
	sentence: "This container doesn't exist any more.",
};

/** A container was deleted while somebody had it open. */
class MissingContainerError extends Error {
	readonly statusCode = 404;
}

/** Registers the pages on which recipients open containers. */
export async function registerDoor(app: FastifyInstance, door: Door, style: string): Promise<void> {
	await app.register(cookie);
	await app.register(formBody, { bodyLimit: FORM_BYTES });
	app.addHook('onSend', async (_request, reply) => {
		for (const [name, value] of Object.entries(PAGE_HEADERS)) {
			if (!reply.hasHeader(name)) void reply.header(name, value);
		}
	});
	app.addHook('onRequest', async (request, reply) => {
		const { id } = request.params as { id?: string };
		if (id !== undefined && !UUID.test(id)) return await sendPage(reply, 404, problemPage(MISSING));
		// A form on another site must not open a container in somebody's name.
		if (request.method === 'POST' && request.headers['sec-fetch-site'] === 'cross-site') {
			const sentence = 'This form was sent from another website.';
			return await sendPage(reply, 403, problemPage({ title: 'Not allowed', sentence }));
		}
	});

	app.get('/style.css', async (_request, reply) => {
		return await reply
			.header('Cache-Control', 'max-age=3600')
			.type('text/css; charset=utf-8')
			.send(style);
	});

	app.get('/c/:id', async (request, reply) => {
		const visit = await findVisit(door, request);
		if (visit === undefined)
			return await sendPage(reply, 200, signInPage({ path: getPath(request) }));
		if (!visit.session.isOpen)
			return await sendPage(reply, 200, passwordPage({ path: getPath(request) }));
		const refusal = await examine(door, visit.seen, visit.visitor);
		if (refusal !== undefined) return await sendRefusal(reply, refusal, visit.seen);
		const page = await showContainer(door, visit.seen, visit.visitor, getPath(request));
		return await sendPage(reply, 200, page);
	});

	app.post('/c/:id/code', async (request, reply) => {
		const path = getPath(request);
		const { email = '' } = readForm(request);
		const address = normalizeAddress(email);
		if (address === undefined) {
			const problem = 'Enter an email address, such as ada@example.com.';
			return await sendPage(reply, 400, signInPage({ path, email, problem }));
		}
		if (!(await countCodeRequest(door, getId(request), address, request.ip))) {
			const problem = 'Too many codes were requested. Try again in an hour.';
			return await sendPage(reply, 429, codePage({ path, email, problem }));
		}
		await sendPage(reply, 200, codePage({ path, email }));
		// After the response, so that its time tells nobody whether the container and the address exist.
		sendCode(door, getId(request), address).catch((error: unknown) => {
			request.log.error(error, "A code couldn't be sent");
		});
	});

	app.post('/c/:id/open', async (request, reply) => {
		const path = getPath(request);
		const { email = '', code = '' } = readForm(request);
		const address = normalizeAddress(email);
		if (address === undefined || !(await proveAddress(door, getId(request), address, code))) {
			const problem = 'The code is wrong or has expired.';
			return await sendPage(reply, 403, codePage({ path, email, problem }));
		}
		const seen = await findSeenContainer(door, getId(request));
		if (seen === undefined) return await sendPage(reply, 404, problemPage(MISSING));
		if (!seen.seal.needsPassword)
			return await enter(door, request, reply, seen, { address, ip: request.ip });
		const refusal = await examine(door, seen, { address, ip: request.ip });
		if (refusal !== undefined) return await sendRefusal(reply, refusal, seen);
		setSession(door, request, reply, { address, isOpen: false });
		return await reply.redirect(path, 303);
	});

	app.post('/c/:id/password', async (request, reply) => {
		const path = getPath(request);
		const visit = await findVisit(door, request);
		if (visit === undefined) return await reply.redirect(path, 303);
		const { password = '' } = readForm(request);
		const { seen, visitor } = visit;
		const refusal = await examine(door, seen, visitor);
		if (refusal !== undefined) return await sendRefusal(reply, refusal, seen);
		const key = await enterPassword(door, seen, visitor, password);
		if ('sentence' in key) {
			return await sendPage(reply, 403, passwordPage({ path, problem: key.sentence }));
		}
		return await enter(door, request, reply, seen, { ...visitor, passwordKey: key });
	});

	app.get('/c/:id/files/:index', async (request, reply) => {
		const visit = await findVisit(door, request);
		if (!visit?.session.isOpen) return await reply.redirect(getPath(request), 303);
		const refusal = await examine(door, visit.seen, visit.visitor);
		if (refusal !== undefined) return await sendRefusal(reply, refusal, visit.seen);
		return await sendFile(door, visit.seen, visit.visitor, request, reply);
	});

	app.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
		const status = error.statusCode ?? 500;
		if (error instanceof MissingContainerError)
			return await sendPage(reply, status, problemPage(MISSING));
		if (status >= 500) request.log.error(error, 'A page failed');
		const sentence =
			status >= 500
				? 'The service has a problem with this container. Try again later.'
				: "The request couldn't be read.";
		return await sendPage(reply, status, problemPage({ title: 'Something went wrong', sentence }));
	});
}

/** Opens the container, or says why not. */
async function enter(
	door: Door,
	request: FastifyRequest,
	reply: FastifyReply,
	seen: SeenContainer,
	visitor: Visitor,
): Promise<FastifyReply> {
	const refusal = await openContainer(door, seen, visitor);
	if (refusal === 'missing') return await sendPage(reply, 404, problemPage(MISSING));
	if (refusal !== undefined) return await sendRefusal(reply, refusal, seen);
	const { address, passwordKey } = visitor;
	setSession(door, request, reply, {
		address,
		isOpen: true,
		passwordKey: passwordKey?.toString('base64'),
	});
	return await reply.redirect(getPath(request), 303);
}

/** The container and the visitor of a session. */
async function findVisit(door: Door, request: FastifyRequest) {
	const session = openSession(door.vault.keys, getId(request), request.cookies[COOKIE]);
	if (session === undefined) return undefined;
	const seen = await findSeenContainer(door, getId(request));
	if (seen === undefined) throw new MissingContainerError(MISSING.sentence);
	const { address, passwordKey } = session;
	const key = passwordKey === undefined ? undefined : Buffer.from(passwordKey, 'base64');
	const visitor: Visitor = { address, ip: request.ip, passwordKey: key };
	return { session, seen, visitor };
}

function setSession(
	{ vault }: Door,
	request: FastifyRequest,
	reply: FastifyReply,
	session: Omit<Session, 'expires'>,
): void {
	const value = sealSession(vault.keys, getId(request), {
		...session,
		expires: Date.now() + SESSION_MS,
	});
	// Strict would ask again after a click in a web mailer.
	void reply.setCookie(COOKIE, value, {
		...{ path: getPath(request), httpOnly: true, secure: true, sameSite: 'lax' },
		maxAge: SESSION_MS / 1000,
	});
}

const getId = (request: FastifyRequest) => (request.params as { id: string }).id;
const getPath = (request: FastifyRequest) => `/c/${getId(request)}`;

/** A field that comes twice counts as missing. */
function readForm({ body }: FastifyRequest): Form {
	const fields = Object.entries((body ?? {}) as object).filter(
		([, value]) => typeof value === 'string',
	);
	return Object.fromEntries(fields) as Form;
}

async function sendRefusal(reply: FastifyReply, { sentence }: Refusal, { owner }: SeenContainer) {
	return await sendPage(reply, 403, refusalPage({ sentence, owner: owner.email }));
}

async function sendPage(reply: FastifyReply, status: number, page: string): Promise<FastifyReply> {
	return await reply.code(status).type('text/html; charset=utf-8').send(page);
}
