import cookie from '@fastify/cookie';
import formBody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { getClientIp } from '../containers/addressRanges.mts';
import { normalizeAddress } from '../containers/addresses.mts';
import { deriveKey, lock, unlock } from '../containers/seal.mts';
import * as door from './door.mts';
import { failure, missing, pageError, type Door, type Session, type Visit } from './door.mts';
import { sendFile, showContainer } from './files.mts';
import { codePage, passwordPage, signInPage } from './pages.mts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const COOKIE = 'session';
const SESSION_MS = 30 * 60 * 1000;

const SAME_SITE = ['style-src', 'img-src', 'media-src', 'frame-src', 'form-action'];
export const PAGE_HEADERS = {
	'Content-Type': 'text/html; charset=utf-8',
	'Content-Security-Policy': `default-src 'none'; ${SAME_SITE.map((name) => `${name} 'self'`).join('; ')}; base-uri 'none'; frame-ancestors 'none'`,
	'X-Content-Type-Options': 'nosniff',
	'Referrer-Policy': 'same-origin',
	'Cache-Control': 'no-store',
};

export async function registerDoor(app: FastifyInstance, options: Door): Promise<void> {
	await app.register(cookie);
	await app.register(formBody, { bodyLimit: 16 * 1024 });
	app.addHook('onRequest', async ({ params, method, headers }, reply) => {
		void reply.headers(PAGE_HEADERS);
		const { id } = params as { id?: string };
		if (id !== undefined && !UUID.test(id)) throw missing();
		// A form on another site must not open a container in somebody's name.
		if (method === 'POST' && headers['sec-fetch-site'] === 'cross-site') {
			throw failure(403, 'Not allowed', 'This form was sent from another website.');
		}
	});

	app.get('/style.css', async (_request, reply) => {
		void reply.header('Cache-Control', 'max-age=3600').type('text/css; charset=utf-8');
		return options.style;
	});
	// Browsers ask for it, and report what is missing as an error.
	app.get('/favicon.ico', async (_request, reply) => await reply.code(204).send());

	app.get('/c/:id', async (request) => {
		const { path } = read(request);
		const visit = await findVisit(options, request);
		if (visit === undefined) return signInPage({ path });
		if (!visit.isOpen) return passwordPage({ path });
		return await showContainer(options, visit);
	});

	app.post('/c/:id/code', async (request, reply) => {
		const { id, path, ip, email } = read(request);
		const address = normalizeAddress(email);
		if (address === undefined) {
			const problem = 'Enter an email address, such as ada@example.com.';
			throw pageError(400, signInPage({ path, email, problem }));
		}
		if (!(await door.countCodeRequest(options, id, address, ip))) {
			const problem = 'Too many codes were requested. Try again in an hour.';
			throw pageError(429, codePage({ path, email, problem }));
		}
		await reply.send(codePage({ path, email, isLate: !(await options.mailer.isReachable()) }));
		// After the response, so that its time tells nobody whether the container and the address exist.
		await door
			.sendCode(options, id, address)
			.catch((error: Error) => request.log.error(error, "A code couldn't be sent"));
	});

	app.post('/c/:id/open', async (request, reply) => {
		const { id, path, ip, email, code } = read(request);
		const address = normalizeAddress(email) ?? '';
		if (!(await door.proveAddress(options, id, address, code))) {
			throw pageError(403, codePage({ path, email, problem: 'The code is wrong or has expired.' }));
		}
		const visit = await door.arrive(options, id, ip, { address, isOpen: false });
		const isOpen = 'identity' in visit.seal.secret;
		if (isOpen) await door.openContainer(options, visit);
		return startSession(options, reply, { ...visit, isOpen });
	});

	app.post('/c/:id/password', async (request, reply) => {
		const { path, password } = read(request);
		const visit = await findVisit(options, request);
		if (visit === undefined) return reply.redirect(path, 303);
		const passwordKey = await door.enterPassword(options, visit, password);
		await door.openContainer(options, visit);
		return startSession(options, reply, { ...visit, passwordKey, isOpen: true });
	});

	app.get('/c/:id/files/:index', async (request, reply) => {
		const visit = await findVisit(options, request);
		if (!visit?.isOpen) return reply.redirect(read(request).path, 303);
		return await sendFile(options, visit, reply);
	});
}

/** What a request says. A field that is missing or comes twice is empty. */
function read(request: FastifyRequest) {
	const id = (request.params as { id: string }).id.toLowerCase();
	const fields = (request.body ?? {}) as Record<string, unknown>;
	const get = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
	const [email, code, password] = ['email', 'code', 'password'].map(get);
	return { id, path: `/c/${id}`, ip: getClientIp(request), email, code, password };
}

async function findVisit(options: Door, request: FastifyRequest): Promise<Visit | undefined> {
	const { id, ip } = read(request);
	const [keyId, box = ''] = (request.cookies[COOKIE] ?? '').split('.');
	const key = options.vault.keys.find(keyId);
	const text = key && unlock(deriveKey(key, 'session'), box, id);
	const session = JSON.parse(text ?? '{}') as Session & { expires?: number };
	return (session.expires ?? 0) > Date.now() ? door.arrive(options, id, ip, session) : undefined;
}

function startSession({ vault }: Door, reply: FastifyReply, visit: Visit) {
	const { row, path, address, isOpen, passwordKey } = visit;
	const key = vault.keys.current();
	const session = { address, isOpen, passwordKey, expires: Date.now() + SESSION_MS };
	const box = lock(deriveKey(key, 'session'), JSON.stringify(session), row.id);
	// Strict would ask again after a click in a web mailer.
	const attributes = { path, httpOnly: true, secure: true, sameSite: 'lax' } as const;
	void reply.setCookie(COOKIE, `${key.id}.${box}`, { ...attributes, maxAge: SESSION_MS / 1000 });
	return reply.redirect(path, 303);
}
