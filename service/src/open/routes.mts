import cookie from '@fastify/cookie';
import formBody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { normalizeAddress } from '../containers/addresses.mts';
import { getClientIp } from '../containers/clientAddress.mts';
import { countCodeRequest, proveAddress, sendCode } from './codes.mts';
import { arrive, openContainer, type Door, type Visit } from './door.mts';
import { sendFile, showContainer } from './files.mts';
import { failure, missing, pageError, tooManyError } from './pageErrors.mts';
import { codePage, describeWait, passwordPage, signInPage } from './pages.mts';
import { enterPassword } from './passwords.mts';
import { readSession, startSession } from './sessions.mts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

const SAME_SITE = ['style-src', 'img-src', 'media-src', 'frame-src', 'form-action'];
const FROM_HERE = SAME_SITE.map((name) => `${name} 'self'`).join('; ');
export const PAGE_HEADERS = {
	'Content-Type': 'text/html; charset=utf-8',
	'Content-Security-Policy': `default-src 'none'; ${FROM_HERE}; base-uri 'none'; frame-ancestors 'none'`,
	'X-Content-Type-Options': 'nosniff',
	'Referrer-Policy': 'same-origin',
	'Cache-Control': 'no-store',
};

export async function registerDoor(app: FastifyInstance, door: Door): Promise<void> {
	await app.register(cookie);
	await app.register(formBody, { bodyLimit: 16 * 1024 });
	app.addHook('onRequest', async (request, reply) => {
		void reply.headers(PAGE_HEADERS);
		checkPageRequest(request);
	});
	app.get('/style.css', async (_request, reply) => {
		void reply.header('Cache-Control', 'max-age=3600').type('text/css; charset=utf-8');
		return door.style;
	});
	// Browsers ask for it, and report what is missing as an error.
	app.get('/favicon.ico', async (_request, reply) => await reply.code(204).send());
	app.get('/c/:id', async (request) => await handlePage(door, request));
	app.post('/c/:id/code', async (request, reply) => await handleCodeRequest(door, request, reply));
	app.post('/c/:id/open', async (request, reply) => await handleCode(door, request, reply));
	app.post('/c/:id/password', async (request, reply) => await handlePassword(door, request, reply));
	app.get('/c/:id/files/:index', async (request, reply) => await handleFile(door, request, reply));
}

/** @throws ServiceError with a page */
function checkPageRequest({ params, method, headers }: FastifyRequest): void {
	const { id } = params as { id?: string };
	if (id !== undefined && !UUID.test(id)) throw missing();
	// A form on another site must not open a container in somebody's name.
	if (method === 'POST' && headers['sec-fetch-site'] === 'cross-site') {
		throw failure(403, 'Not allowed', 'This form was sent from another website.');
	}
}

async function handlePage(door: Door, request: FastifyRequest): Promise<string> {
	const { path } = readPageRequest(request);
	const visit = await findVisit(door, request);
	if (visit === undefined) return signInPage({ path });
	if (!visit.isOpen) return passwordPage({ path });
	return await showContainer(door, visit, request.log);
}

async function handleCodeRequest(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const { id, path, ip, email } = readPageRequest(request);
	const address = normalizeAddress(email);
	if (address === undefined) {
		const problem = 'Enter an email address, such as ada@example.com.';
		throw pageError(400, signInPage({ path, email, problem }));
	}
	const { wait, requestId } = await countCodeRequest(door, { id, address, ip });
	if (wait > 0) {
		const problem = `Too many codes were requested. Try again in ${describeWait(wait)}.`;
		throw tooManyError(codePage({ path, email, problem, codes: 'refused' }), wait);
	}
	const codes = (await door.mailer.isReachable()) ? 'sent' : 'late';
	await reply.send(codePage({ path, email, codes }));
	// After the response, so that its time tells nobody whether the container and the address exist.
	await sendCode(door, { id, address, requestId }).catch((error: Error) => {
		request.log.error(error, "A code couldn't be sent");
	});
}

async function handleCode(door: Door, request: FastifyRequest, reply: FastifyReply) {
	const { id, path, ip, email, code } = readPageRequest(request);
	const address = normalizeAddress(email) ?? '';
	const { wait, isProven } = await proveAddress(door, { id, address, ip }, code);
	if (wait > 0) {
		const problem = `There were too many wrong codes. Try again in ${describeWait(wait)}.`;
		throw tooManyError(codePage({ path, email, problem, codes: 'blocked' }), wait);
	}
	if (!isProven) {
		const problem = 'The code is wrong or has expired.';
		throw pageError(403, codePage({ path, email, problem, codes: 'sent' }));
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
	};
}

async function findVisit(door: Door, request: FastifyRequest): Promise<Visit | undefined> {
	const { id, ip } = readPageRequest(request);
	const session = readSession(door, request, id);
	return session && (await arrive(door, id, ip, session));
}
