import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Contract, ContractOperation } from './contract.cts';
import { contractFor } from './contract.cts';
import { answerControl, isControlPath } from './control.cts';
import type { FaultPlan } from './faults.cts';
import { applyFault } from './faults.cts';
import type { Journal } from './journal.cts';
import { operations } from './operations.cts';
import type { RateLimiter } from './rateLimiter.cts';
import type { ServiceResponse } from './responses.cts';
import { errorResponse, invalid, notFound, portalPage, ServiceError } from './responses.cts';
import type { Connections, Exchange } from './send.cts';
import { bodyOf, sendResponse } from './send.cts';
import type { SandboxSettings } from './settings.cts';
import type { SandboxUser, Store } from './store.cts';
import type { BodyOptions, ParsedPart } from './upload.cts';
import {
	boundaryOf,
	ClientGone,
	collectText,
	ConnectionBreak,
	mediaType,
	parseMultipart,
	tooLarge,
} from './upload.cts';

/** The parts of one running sandbox, shared by the API and the control interface. */
export interface Service {
	/** Base path of the API, without a trailing slash. */
	basePath: string;
	/** Where clients reach the service; empty until it listens. */
	origin: string;
	settings: SandboxSettings;
	users: SandboxUser[];
	store: Store;
	journal: Journal;
	faults: FaultPlan;
	limiter: RateLimiter;
	connections: Connections;
	/** Restores the state at the start. */
	reset(): void;
}

type Handled = Service & Exchange;

/** Answers a request: the API below its base path, the control interface, the portal everywhere else. */
export async function answer(
	service: Service,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	if (isControlPath(request.url)) return await answerControl(service, request, response);
	const record = service.journal.open(request, response);
	const exchange = { ...service, request, response, record };
	const planned = service.faults.take(record, 'arrival');
	if (planned !== undefined) return applyFault(planned.fault, exchange);
	try {
		if (!record.path.startsWith(`${service.basePath}/`)) {
			if (request.method === 'GET') return sendResponse(exchange, portalPage());
			throw notFound('There is nothing at this URL');
		}
		await serve(exchange);
	} catch (error) {
		if (error instanceof ClientGone) return;
		if (error instanceof ConnectionBreak) return applyFault({ kind: 'reset' }, exchange);
		refuse(exchange, error);
	}
}

/** Serves a request to the API: key, limits, body, planned fault, latency, contract, operation, response. */
async function serve(exchange: Handled): Promise<void> {
	const { settings, faults, record, users } = exchange;
	const contract = contractFor(settings);
	const path = record.path.slice(exchange.basePath.length);
	const matched = contract.match(record.method, path);
	record.operationId = matched?.operation.operationId;
	const user = admit(exchange);
	const planned = faults.take(record, 'later');
	const fault = planned?.fault;
	const breakAfter = fault?.kind === 'reset' ? fault.afterBytes : undefined;
	const content = await parseBody(exchange, matched?.operation, breakAfter);
	if (fault !== undefined && planned?.stage === 'body') return applyFault(fault, exchange);
	const { latency, errorShape } = settings;
	await delay(typeof latency === 'number' ? latency : latency());
	const run = (): ServiceResponse => {
		if (matched === undefined) throw notFound(`There is no endpoint at ${record.path}`);
		assertContract(exchange, contract, path, content);
		const { operationId } = matched.operation;
		const url = new URL(record.path, exchange.origin);
		const status = settings.statuses[operationId] ?? 200;
		const { params } = matched;
		const { store } = exchange;
		return operations[operationId]({
			settings,
			store,
			users,
			user,
			params,
			url,
			status,
			...content,
		});
	};
	let response: ServiceResponse;
	try {
		response = run();
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		response = errorResponse(error, errorShape);
	}
	checkResponse(exchange, response);
	if (fault === undefined) sendResponse(exchange, response);
	else applyFault(fault, exchange, response);
}

/** @returns the user of the key; @throws ServiceError 401, 429, or 413 for the announced size */
function admit({ settings, users, limiter, record }: Handled): SandboxUser {
	const { authorization, 'content-length': length = 0 } = record.headers;
	const user = users.find(({ apiKey }) => authorization === `Bearer ${apiKey}`);
	if (user === undefined) {
		const message = `The API key is ${authorization === undefined ? 'missing' : 'not valid'}`;
		throw new ServiceError(401, 'unauthorized', message, { 'www-authenticate': 'Bearer' });
	}
	record.userId = user.id;
	limiter.take(user.apiKey, settings.rateLimit);
	const { maxBodyBytes } = settings;
	if (maxBodyBytes !== null && Number(length) > maxBodyBytes) throw tooLarge(maxBodyBytes);
	return user;
}

interface Content {
	body?: unknown;
	parts?: ParsedPart[];
}

/**
 * Parses the body of a request as the operation expects it, and adds it to the record of the request.
 *
 * @throws ServiceError 400, 413 or 415 for a body of another form; ClientGone; ConnectionBreak
 */
async function parseBody(
	{ request, record, settings }: Handled,
	operation: ContractOperation | undefined,
	breakAfter: number | undefined,
): Promise<Content> {
	const { manifestPart, maxBodyBytes: maxBytes, hashFiles } = settings;
	const options: BodyOptions = { record, maxBytes, breakAfter };
	const types = Object.keys(operation?.requestBody?.content ?? {});
	const sent = request.headers['content-type'] ?? '';
	const hasType = types.includes(mediaType(sent));
	const wrongType = new ServiceError(415, 'wrong_type', `The body must be of type ${types.join()}`);
	if (types.includes('multipart/form-data')) {
		const boundary = boundaryOf(sent);
		if (!hasType || boundary === undefined) throw wrongType;
		const wantsText = (name: string) => name === manifestPart;
		const parts = await parseMultipart(request, { ...options, boundary, hashFiles, wantsText });
		record.parts = parts.map(({ received }) => received);
		record.body = jsonOrText(parts.find(({ text }) => text !== undefined)?.text);
		return { parts };
	}
	const { 'transfer-encoding': chunked, 'content-length': length = '0' } = request.headers;
	if (chunked === undefined && length === '0' && breakAfter === undefined) return {};
	const text = await collectText(request, options);
	record.body = text;
	if (types.length === 0) throw invalid('This request accepts no body');
	if (!hasType) throw wrongType;
	try {
		record.body = JSON.parse(text) as unknown;
	} catch (error) {
		throw invalid(`The body is not JSON: ${(error as Error).message}`);
	}
	return { body: record.body };
}

function jsonOrText(text: string | undefined): unknown {
	try {
		return text === undefined ? undefined : (JSON.parse(text) as unknown);
	} catch {
		return text;
	}
}

/** @throws ServiceError 400 for a request that doesn't fit the contract */
function assertContract(
	{ record }: Handled,
	contract: Contract,
	path: string,
	{ body, parts }: Content,
): void {
	const { method, headers } = record;
	const problems = contract.validateRequest({
		method,
		path,
		headers,
		body,
		parts: parts?.map(({ received: { name, type }, text }) => ({ name, type, text })),
	});
	if (problems.length === 0) return;
	record.problems = problems;
	throw invalid(problems.join('; '));
}

/** Records how a response of the service itself breaks the contract. What a fault makes of it is not checked. */
function checkResponse({ settings, basePath, journal, record }: Handled, sent: ServiceResponse) {
	const { method, operationId } = record;
	if (operationId === undefined) return;
	const { status, contentType } = sent;
	const problems = contractFor(settings).validateResponse(
		{ method, path: record.path.slice(basePath.length) },
		{ status, headers: { 'content-type': contentType }, text: String(bodyOf(sent)) },
	);
	for (const problem of problems) journal.noteViolation(`${operationId}, ${status}: ${problem}`);
}

/** Responds to a refused request. The rest of a body that is too large is not read. */
function refuse(exchange: Handled, reason: unknown): void {
	const error =
		reason instanceof ServiceError
			? reason
			: new ServiceError(500, 'sandbox_error', (reason as Error).stack ?? String(reason));
	const response = errorResponse(error, exchange.settings.errorShape);
	checkResponse(exchange, response);
	if (error.status !== 413) return sendResponse(exchange, response);
	exchange.response.once('finish', () => exchange.response.socket?.destroySoon());
	sendResponse(exchange, { ...response, headers: { ...response.headers, connection: 'close' } });
}
