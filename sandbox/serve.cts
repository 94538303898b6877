import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { contractFor, type ContractOperation } from './contract.cts';
import { answerControl, isControlPath } from './control.cts';
import { applyFault, type FaultPlan } from './faults.cts';
import type { Journal } from './journal.cts';
import { operations, type OperationId } from './operations.cts';
import type { RateLimiter } from './rateLimiter.cts';
import type { ServiceResponse } from './responses.cts';
import { errorResponse, invalid, notFound, portalPage, ServiceError } from './responses.cts';
import { bodyOf, sendResponse, type Connections, type Exchange } from './send.cts';
import type { SandboxSettings } from './settings.cts';
import type { SandboxUser, Store } from './store.cts';
import {
	boundaryOf,
	ConnectionBreak,
	mediaType,
	parseJson,
	parseMultipart,
	readBody,
	tooLarge,
	type FormPart,
} from './upload.cts';

export const BASE_PATH = '/api/v1';

/** The parts of one running sandbox, shared by the API and the control interface. */
export interface Service {
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

/** Answers one request to the service: a planned fault, a call to the control interface or to the API, or a page. */
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
		if (!record.path.startsWith(`${BASE_PATH}/`)) {
			if (request.method === 'GET') return sendResponse(exchange, portalPage());
			throw notFound('There is nothing at this URL');
		}
		await serve(exchange);
	} catch (error) {
		// The client left before its body was complete: nobody waits for a response.
		if (request.destroyed && !request.complete) return;
		if (error instanceof ConnectionBreak) return applyFault({ kind: 'reset' }, exchange);
		refuse(exchange, error);
	}
}

/** Serves a request to the API: key, limits, body, planned fault, latency, contract, operation, response. */
async function serve(exchange: Handled): Promise<void> {
	const { settings, faults, record } = exchange;
	const contract = contractFor(settings);
	const path = record.path.slice(BASE_PATH.length);
	const matched = contract.match(record.method, path);
	record.operationId = matched?.operation.operationId;
	const user = admit(exchange);
	const planned = faults.take(record, 'later');
	const fault = planned?.fault;
	const content = await parseBody(exchange, matched?.operation, fault?.afterBytes);
	if (fault !== undefined && planned?.stage === 'body') return applyFault(fault, exchange);
	const { latency } = settings;
	await delay(typeof latency === 'number' ? latency : latency());
	const run = (): ServiceResponse => {
		if (matched === undefined) throw notFound(`There is no endpoint at ${record.path}`);
		const { method, headers } = record;
		const problems = contract.validateRequest({ method, path, headers, ...content });
		if (problems.length > 0) {
			record.problems = problems;
			throw invalid(problems.join('; '));
		}
		const { operationId } = matched.operation;
		return operations[operationId as OperationId]({
			...exchange,
			...content,
			user,
			params: matched.params,
			url: new URL(record.path, exchange.origin),
			status: settings.statuses[operationId] ?? 200,
		});
	};
	let response: ServiceResponse;
	try {
		response = run();
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		response = errorResponse(error, settings.errorShape);
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
	limiter.take(user.apiKey, settings.requestsPerMinute);
	const { maxBodyBytes } = settings;
	if (maxBodyBytes !== null && Number(length) > maxBodyBytes) throw tooLarge(maxBodyBytes);
	return user;
}

/**
 * Parses the body of a request as the operation expects it, and adds it to the record of the request.
 *
 * @throws ServiceError 400, 413 or 415 for a body of another form; ConnectionBreak
 */
async function parseBody(
	{ request, record, settings: { maxBodyBytes: maxBytes, hashFiles } }: Handled,
	operation: ContractOperation | undefined,
	breakAfter: number | undefined,
): Promise<{ body?: unknown; parts?: FormPart[] }> {
	const types = Object.keys(operation?.requestBody?.content ?? {});
	const type = request.headers['content-type'];
	const body = readBody(request, { record, maxBytes, breakAfter });
	const wrongType = new ServiceError(415, 'wrong_type', `The body must be of type ${types.join()}`);
	if (types.includes('multipart/form-data')) {
		const boundary = boundaryOf(type);
		if (!types.includes(mediaType(type)) || boundary === undefined) throw wrongType;
		const parts = await parseMultipart(body, { boundary, hashFiles, textPart: 'manifest.json' });
		record.parts = parts.map((part) => ({ ...part, text: undefined }));
		record.body = parseJson(parts.map((part) => part.text ?? '').join(''));
		return { parts };
	}
	const sent = await text(body);
	if (sent === '') return {};
	const value = parseJson(sent);
	record.body = value ?? sent;
	if (types.length === 0) throw invalid('This request accepts no body');
	if (!types.includes(mediaType(type))) throw wrongType;
	if (value === undefined) throw invalid('The body is not JSON');
	return { body: value };
}

/** Records how a response of the service itself breaks the contract. What a fault makes of it is not checked. */
function checkResponse({ settings, journal, record }: Handled, sent: ServiceResponse) {
	const { method, operationId } = record;
	if (operationId === undefined) return;
	const { status, contentType: type } = sent;
	const request = { method, path: record.path.slice(BASE_PATH.length) };
	const response = { status, type, text: String(bodyOf(sent)) };
	const problems = contractFor(settings).validateResponse(request, response);
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
