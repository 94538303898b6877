import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionBreak, ClientGone, tooLarge } from './body.cts';
import type { RequestBody } from './parseRequest.cts';
import { parseRequest } from './parseRequest.cts';
import { bodyOf, sendResponse } from './send.cts';
import type { ContractOperation } from '../contract/contract.cts';
import { contractFor } from '../contract/departures.cts';
import { applyFault } from '../faults/applyFault.cts';
import type { ReceivedRequest } from '../journal.cts';
import { operations } from '../operations/index.cts';
import { authenticate } from '../service/access.cts';
import { ServiceError, errorResponse, invalid, notFound } from '../service/errors.cts';
import type { ServiceResponse } from '../service/response.cts';
import type { Service } from '../service/service.cts';
import type { SandboxUser } from '../users.cts';

/** One request and its response. */
export interface Exchange {
	request: IncomingMessage;
	response: ServerResponse;
	record: ReceivedRequest;
	/** Known once the key is checked. */
	user?: SandboxUser;
}

/** The route of a request; without an operation, there is none at its path. */
export interface Route {
	operation?: ContractOperation;
	params: Record<string, string>;
}

/**
 * Checks what comes before anything else in a request: the key, its rate limit, the announced size.
 *
 * @throws ServiceError 401, 429 or 413
 */
export function admit(service: Service, exchange: Exchange): void {
	const { settings, users, limiter } = service;
	const { headers } = exchange.request;
	exchange.user = authenticate(headers.authorization, users);
	exchange.record.userId = exchange.user.id;
	limiter.take(exchange.user.apiKey, settings.rateLimit);
	const { maxBodyBytes } = settings;
	if (maxBodyBytes !== null && Number(headers['content-length'] ?? 0) > maxBodyBytes) {
		throw tooLarge(maxBodyBytes);
	}
}

/** Serves an admitted request: body, planned fault, latency, contract, operation, response. */
export async function serve(service: Service, exchange: Exchange, route: Route): Promise<void> {
	const { settings, faults } = service;
	const { request, record } = exchange;
	const planned = faults.take(record, 'later');
	const fault = planned?.fault;
	try {
		const body = await parseRequest(route.operation, request, record, {
			settings,
			folder: service.folder,
			breakAfter: fault?.kind === 'reset' ? fault.afterBytes : undefined,
		});
		if (fault !== undefined && planned?.stage === 'body') {
			applyFault(fault, { ...service, ...exchange });
			return;
		}
		await pause(service, record);
		const response = runOperation(service, exchange, route, body);
		checkResponse(service, record, response);
		if (fault === undefined) sendResponse({ ...exchange, journal: service.journal }, response);
		else applyFault(fault, { ...service, ...exchange }, response);
	} catch (error) {
		if (error instanceof ClientGone) return;
		if (error instanceof ConnectionBreak) {
			applyFault({ kind: 'reset' }, { ...service, ...exchange });
		} else {
			refuse(service, exchange, error);
		}
	}
}

/** Responds to a refused request. The rest of a body that is too large is not read. */
export function refuse(service: Service, exchange: Exchange, reason: unknown): void {
	const error =
		reason instanceof ServiceError
			? reason
			: new ServiceError(500, 'sandbox_error', (reason as Error).stack ?? String(reason));
	const response = errorResponse(error, service.settings.errorShape);
	checkResponse(service, exchange.record, response);
	const to = { ...exchange, journal: service.journal };
	if (error.status !== 413) return sendResponse(to, response);
	service.journal.noteBroken(exchange.record);
	exchange.response.once('finish', () => exchange.response.socket?.destroySoon());
	sendResponse(to, { ...response, headers: { ...response.headers, connection: 'close' } });
}

/** @returns the response of the operation, or why the request is refused */
function runOperation(
	service: Service,
	exchange: Exchange,
	{ operation, params }: Route,
	requestBody: RequestBody,
): ServiceResponse {
	const { settings, store, users, origin } = service;
	const { path } = exchange.record;
	const user = exchange.user as SandboxUser;
	try {
		if (operation === undefined) throw notFound(`There is no endpoint at ${path}`);
		assertContract(service, exchange, requestBody);
		const context = { settings, store, users, user, params, path, origin, ...requestBody };
		return operations[operation.operationId](context);
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		return errorResponse(error, settings.errorShape);
	}
}

/** @throws ServiceError 400 for a request that doesn't fit the contract */
function assertContract(
	{ settings, basePath }: Service,
	{ request: { headers }, record }: Exchange,
	{ body, parts }: RequestBody,
): void {
	const problems = contractFor(settings).validateRequest({
		method: record.method,
		path: record.path.slice(basePath.length),
		headers,
		body,
		parts: parts?.map(({ received: { name, type }, text }) => ({ name, type, text })),
	});
	if (problems.length === 0) return;
	record.problems = problems;
	throw invalid(problems.join('; '));
}

/** Records how a response of the service itself breaks the contract. What a fault makes of it is not checked. */
function checkResponse(
	{ settings, basePath, journal }: Service,
	{ method, path, operationId }: ReceivedRequest,
	response: ServiceResponse,
): void {
	if (operationId === undefined) return;
	const { status, contentType } = response;
	const problems = contractFor(settings).validateResponse(
		{ method, path: path.slice(basePath.length) },
		{ status, headers: { 'content-type': contentType }, text: String(bodyOf(response)) },
	);
	for (const problem of problems) journal.noteViolation(`${operationId}, ${status}: ${problem}`);
}

async function pause({ settings: { latency } }: Service, record: ReceivedRequest): Promise<void> {
	const ms = typeof latency === 'number' ? latency : latency(record);
	if (ms > 0) await delay(ms);
}
