import cookie from '@fastify/cookie';
import formBody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { getClientIp } from '../clientIp.mts';
import { normalizeAddress } from '../containers/addresses.mts';
import type { Refusal } from '../containers/policy.mts';
import * as door from './door.mts';
import type { Door, FoundContainer, Visitor } from './door.mts';
import { sendFile, showContainer } from './files.mts';
import { codePage, passwordPage, problemPage, refusalPage, signInPage } from './pages.mts';
import { openSession, sealSession, SESSION_MS, type Session } from './session.mts';

const COOKIE = 'session';
const FORM_BYTES = 16 * 1024;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const SAME_SITE = ['style-src', 'img-src', 'media-src', 'frame-src', 'form-action'];
const HEADERS = {
	'Content-Security-Policy': `default-src 'none'; ${SAME_SITE.map((name) => `${name} 'self'`).join('; ')}; base-uri 'none'; frame-ancestors 'none'`,
	'X-Content-Type-Options': 'nosniff',
	'Referrer-Policy': 'same-origin',
	'Cache-Control': 'no-store',
};

/** A page instead of what was asked for. */
class PageError extends Error {
	constructor(
		readonly statusCode: number,
		readonly title: string,
		sentence: string,
	) {
		super(sentence);
	}
}

const missing = () =>
	new PageError(404, 'Container not found', "This container doesn't exist any more.");

/** Registers the pages on which recipients open containers. */
export async function registerDoor(
	app: FastifyInstance,
	options: Door & { style: string },
): Promise<void> {
	await app.register(cookie);
	await app.register(formBody, { bodyLimit: FORM_BYTES });
	app.addHook('onSend', async (_request, reply) => {
		for (const [name, value] of Object.entries(HEADERS)) {
			if (!reply.hasHeader(name)) void reply.header(name, value);
		}
	});
	app.addHook('onRequest', async ({ params, method, headers }) => {
		const { id } = params as { id?: string };
		if (id !== undefined && !UUID.test(id)) throw missing();
		// A form on another site must not open a container in somebody's name.
		if (method === 'POST' && headers['sec-fetch-site'] === 'cross-site') {
			throw new PageError(403, 'Not allowed', 'This form was sent from another website.');
		}
	});
	app.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
		const { statusCode = 500 } = error;
		if (statusCode >= 500) request.log.error(error, 'A page failed');
		const title = error instanceof PageError ? error.title : 'Something went wrong';
		const ours = 'The service has a problem with this container. Try again later.';
		const theirs = error instanceof PageError ? error.message : "The request couldn't be read.";
		const page = problemPage({ title, sentence: statusCode >= 500 ? ours : theirs });
		return await send(reply, statusCode, page);
	});

	app.get('/style.css', async (_request, reply) => {
		void reply.header('Cache-Control', 'max-age=3600').type('text/css; charset=utf-8');
		return await reply.send(options.style);
	});

	app.get('/c/:id', async (request, reply) => {
		const path = getPath(request);
		const visit = await findVisit(options, request);
		if (visit === undefined) return await send(reply, 200, signInPage({ path }));
		const { found, visitor } = visit;
		if (!visit.isOpen) return await send(reply, 200, passwordPage({ path }));
		const refusal = await door.examine(options, found, visitor);
		if (refusal !== undefined) return await sendRefusal(reply, refusal, found);
		return await send(reply, 200, await showContainer(options, found, visitor, path));
	});

	app.post('/c/:id/code', async (request, reply) => {
		const [path, { email }] = [getPath(request), readForm(request)];
		const address = normalizeAddress(email);
		if (address === undefined) {
			const problem = 'Enter an email address, such as ada@example.com.';
			return await send(reply, 400, signInPage({ path, email, problem }));
		}
		const visitor = { address, ip: getClientIp(request) };
		if (!(await door.countCodeRequest(options, getId(request), visitor))) {
			const problem = 'Too many codes were requested. Try again in an hour.';
			return await send(reply, 429, codePage({ path, email, problem }));
		}
		await send(reply, 200, codePage({ path, email }));
		// After the response, so that its time tells nobody whether the container and the address exist.
		door
			.sendCode(options, getId(request), address)
			.catch((error: Error) => request.log.error(error, "A code couldn't be sent"));
	});

	app.post('/c/:id/open', async (request, reply) => {
		const [path, { email, code }] = [getPath(request), readForm(request)];
		const address = normalizeAddress(email) ?? '';
		if (!(await door.proveAddress(options, getId(request), address, code))) {
			const problem = 'The code is wrong or has expired.';
			return await send(reply, 403, codePage({ path, email, problem }));
		}
		const found = await door.findWithOwner(options, getId(request));
		if (found === undefined) throw missing();
		const visitor = { address, ip: getClientIp(request) };
		if ('identity' in found.seal.secret) return await enter(request, reply, found, visitor);
		const refusal = await door.examine(options, found, visitor);
		if (refusal !== undefined) return await sendRefusal(reply, refusal, found);
		return startSession(request, reply, { address, isOpen: false });
	});

	app.post('/c/:id/password', async (request, reply) => {
		const path = getPath(request);
		const visit = await findVisit(options, request);
		if (visit === undefined) return reply.redirect(path, 303);
		const { found, visitor } = visit;
		const refusal = await door.examine(options, found, visitor);
		if (refusal !== undefined) return await sendRefusal(reply, refusal, found);
		const { password } = readForm(request);
		const key = await door.enterPassword(options, found, visitor, password);
		if ('sentence' in key)
			return await send(reply, 403, passwordPage({ path, problem: key.sentence }));
		return await enter(request, reply, found, { ...visitor, passwordKey: key });
	});

	app.get('/c/:id/files/:index', async (request, reply) => {
		const visit = await findVisit(options, request);
		if (!visit?.isOpen) return reply.redirect(getPath(request), 303);
		const refusal = await door.examine(options, visit.found, visit.visitor);
		if (refusal !== undefined) return await sendRefusal(reply, refusal, visit.found);
		const response = await sendFile(options, visit.found, visit.visitor, request, reply);
		if (typeof response !== 'string') return response;
		throw new PageError(reply.statusCode, 'Not available', response);
	});

	async function enter(
		request: FastifyRequest,
		reply: FastifyReply,
		found: FoundContainer,
		visitor: Visitor,
	) {
		const refusal = await door.openContainer(options, found, visitor);
		if (refusal === 'missing') throw missing();
		if (refusal !== undefined) return await sendRefusal(reply, refusal, found);
		const { address, passwordKey } = visitor;
		const session = { address, isOpen: true, passwordKey: passwordKey?.toString('base64') };
		return startSession(request, reply, session);
	}

	function startSession(
		request: FastifyRequest,
		reply: FastifyReply,
		session: Omit<Session, 'expires'>,
	) {
		const path = getPath(request);
		const expires = Date.now() + SESSION_MS;
		const value = sealSession(options.vault.keys, getId(request), { ...session, expires });
		// Strict would ask again after a click in a web mailer.
		const attributes = { path, httpOnly: true, secure: true, sameSite: 'lax' } as const;
		void reply.setCookie(COOKIE, value, { ...attributes, maxAge: SESSION_MS / 1000 });
		return reply.redirect(path, 303);
	}
}

/** The container and the visitor of a session. */
async function findVisit(options: Door, request: FastifyRequest) {
	const session = openSession(options.vault.keys, getId(request), request.cookies[COOKIE]);
	if (session === undefined) return undefined;
	const found = await door.findWithOwner(options, getId(request));
	if (found === undefined) throw missing();
	const passwordKey = session.passwordKey ? Buffer.from(session.passwordKey, 'base64') : undefined;
	const visitor = { address: session.address, ip: getClientIp(request), passwordKey };
	return { isOpen: session.isOpen, found, visitor };
}

const getId = (request: FastifyRequest) => (request.params as { id: string }).id;
const getPath = (request: FastifyRequest) => `/c/${getId(request)}`;

/** A field that is missing or comes twice is empty. */
function readForm({ body }: FastifyRequest) {
	const fields = (body ?? {}) as Record<string, unknown>;
	const read = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
	return { email: read('email'), code: read('code'), password: read('password') };
}

async function sendRefusal(reply: FastifyReply, { sentence }: Refusal, { owner }: FoundContainer) {
	return await send(reply, 403, refusalPage({ sentence, owner: owner.email }));
}

async function send(reply: FastifyReply, status: number, page: string): Promise<FastifyReply> {
	return await reply.code(status).type('text/html; charset=utf-8').send(page);
}
