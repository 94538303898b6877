import { Readable } from 'node:stream';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { openSeal } from '../../containers/seal.mts';
import { getLimits, storeDelivery } from '../../requests/delivery.mts';
import { DeliveryError } from '../../requests/deliveryError.mts';
import { recordFinding } from '../../requests/recordFinding.mts';
import { findSession } from '../signIn/entry.mts';
import { createPage } from '../language.mts';
import { PageError } from '../pageErrors.mts';
import { readPageRequest } from '../pageRequest.mts';
import { signInPage } from '../pages.mts';
import { mailReceipt } from './receiptMail.mts';
import { receiptPage, sendPage, type SendProblem } from './sendPage.mts';
import { arriveSender, type SendDoor, type SenderVisit } from './senderVisit.mts';
import { startSession } from '../signIn/sessions.mts';
import { verifyCode } from '../signIn/signIn.mts';

/** The pages of requests for files, behind the same door as containers. */
export function registerRequests(app: FastifyInstance, door: SendDoor): void {
	// A form is parsed while it arrives.
	app.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body));
	app.get('/r/:id', async (request, reply) => await handleSendPage(door, request, reply));
	app.post('/r/:id/open', async (request, reply) => {
		await verifyCode(door, request, reply);
		return reply.redirect(readPageRequest(request).path, 303);
	});
	app.post('/r/:id/send', async (request, reply) => await handleSend(door, request, reply));
	app.get('/r/:id/sent/:delivery', async (request, reply) => {
		return await handleReceipt(door, request, reply);
	});
}

async function handleSendPage(door: SendDoor, request: FastifyRequest, reply: FastifyReply) {
	const page = createPage(door.site, request);
	const visit = await findSenderVisit(door, request);
	if (visit === undefined) return signInPage(page);
	void reply.header('Cache-Control', 'no-store');
	const { address: visitor } = visit;
	return sendPage({ ...page, visitor }, { ...visit, limits: getLimits(visit.request, door) });
}

async function findSenderVisit(door: SendDoor, request: FastifyRequest) {
	const link = readPageRequest(request);
	const session = await findSession(door, request, link);
	return session && (await arriveSender(door, link, session));
}

async function handleSend(door: SendDoor, request: FastifyRequest, reply: FastifyReply) {
	const { ip, ...link } = readPageRequest(request);
	const session = await findSession(door, request, link);
	if (session === undefined) {
		throw new PageError(403, (page) => signInPage(page, { problem: 'signedOut' }));
	}
	const visit = await arriveSender(door, link, session);
	const country = door.findCountry(ip);
	const form = readSentForm(request);
	const { request: fileRequest, address: sender, sent } = visit;
	const hasSent = sent.length > 0;
	const delivery = { request: fileRequest, sender, hasSent, ip, country, form };
	const stored = await storeDelivery(door.vault, delivery, door).catch(async (error) => {
		const failure = { error, bytes: form.contentLength, log: request.log };
		if (!(error instanceof DeliveryError)) throw toSendError(door, visit, failure);
		if (error.problem === 'unsafe') await recordFinding(door.vault, delivery, error);
		// Shows what is different now, such as who owns the request, and how many deliveries are left.
		throw toSendError(door, await arriveSender(door, link, session), failure);
	});
	// It can have taken longer than a session.
	startSession(door, reply, { ...session, ...link });
	await reply.redirect(`${link.path}/sent/${stored.container.id}`, 303);
	if (stored.isRepeated) return;
	const { texts } = createPage(door.site, request);
	await mailReceipt(door, { visit, texts, ...stored }).catch((error: Error) => {
		request.log.error(error, "A receipt couldn't be sent");
	});
}

function readSentForm({ body, headers }: FastifyRequest) {
	const { 'content-type': contentType = '', 'content-length': length } = headers;
	const contentLength = length === undefined ? undefined : Number(length);
	const content = body instanceof Readable ? body : Readable.from([]);
	return { body: content, contentType, contentLength };
}

interface Failure {
	error: unknown;
	bytes?: number;
	log: FastifyBaseLogger;
}

const STATUS = new Map<SendProblem['why'], number>([
	['tooLarge', 413],
	['unscanned', 503],
	['full', 507],
	['failed', 500],
]);

/** The page with the form once more, which says why nothing was sent. */
function toSendError(door: SendDoor, visit: SenderVisit, { error, bytes, log }: Failure) {
	const why = error instanceof DeliveryError ? error.problem : 'failed';
	const status = STATUS.get(why) ?? 422;
	if (status >= 500) log.error(error, "A delivery couldn't be stored");
	const problem: SendProblem = { why, bytes };
	const state = { ...visit, limits: getLimits(visit.request, door), problem };
	return new PageError(status, (page) => sendPage({ ...page, visitor: visit.address }, state));
}

async function handleReceipt(door: SendDoor, request: FastifyRequest, reply: FastifyReply) {
	const visit = await findSenderVisit(door, request);
	const { delivery } = request.params as { delivery: string };
	const delivered = visit?.sent.find(({ id }) => id === delivery);
	// Without a session, or where the owner deleted it meanwhile.
	if (!visit || !delivered) return reply.redirect(readPageRequest(request).path, 303);
	const { files } = openSeal(door.vault.keys, delivered);
	const page = { ...createPage(door.site, request), visitor: visit.address };
	return receiptPage(page, { ...visit, delivered, files });
}
