import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { BreakHere, ClientGone, tooLarge } from './body.cts';
import { readRequest } from './read-request.cts';
import { endAnswer } from './send.cts';
import { performFault } from '../faults/perform.cts';
import type { ReceivedRequest } from '../journal.cts';
import { authenticate } from '../service/access.cts';
import type { Answer } from '../service/answer.cts';
import type { Context, Endpoint } from '../service/context.cts';
import { ServiceError, errorAnswer } from '../service/errors.cts';
import type { Service } from '../service/service.cts';
import type { SandboxUser } from '../users.cts';

/** One request on its way through the service. */
export interface Visit {
	request: IncomingMessage;
	response: ServerResponse;
	record: ReceivedRequest;
	/** Known once the key was checked. */
	user?: SandboxUser;
}

/**
 * Checks what is checked of every request before anything else of it is looked at: the key, the key's limit, the
 * announced size.
 *
 * @throws ServiceError 401, 429 or 413
 */
export function admit(service: Service, visit: Visit): void {
	const { settings, users, limiter } = service;
	const { headers } = visit.request;
	visit.user = authenticate(headers.authorization, users);
	visit.record.userId = visit.user.id;
	limiter.take(visit.user.apiKey, settings.rateLimit);
	const { maxBodyBytes } = settings;
	if (maxBodyBytes !== null && Number(headers['content-length'] ?? 0) > maxBodyBytes) {
		throw tooLarge(maxBodyBytes);
	}
}

/** Serves an admitted request at its end point: body, planned fault, latency, operation, answer. */
export async function serve(
	service: Service,
	visit: Visit,
	endpoint: Pick<Endpoint, 'reads' | 'operation'>,
	params: Record<string, string>,
): Promise<void> {
	const { settings, faults } = service;
	const { request, record } = visit;
	const planned = faults.take(record, 'later');
	const fault = planned?.fault;
	try {
		const body = await readRequest(endpoint.reads, request, record, {
			settings,
			folder: service.folder,
			breakAfter: fault?.kind === 'reset' ? fault.afterBytes : undefined,
		});
		if (fault !== undefined && planned?.stage === 'body') {
			performFault(fault, { ...service, ...visit });
			return;
		}
		await pause(service, record);
		const { store, users, origin } = service;
		const user = visit.user as SandboxUser;
		const context = { settings, store, users, user, params, path: record.path, origin, ...body };
		const answer = answerOf(endpoint.operation, context);
		if (fault === undefined) endAnswer({ ...visit, journal: service.journal }, answer);
		else performFault(fault, { ...service, ...visit }, answer);
	} catch (error) {
		if (error instanceof ClientGone) return;
		if (error instanceof BreakHere) performFault({ kind: 'reset' }, { ...service, ...visit });
		else refuse(service, visit, error);
	}
}

/** Answers a request that was refused; one whose body is too large is not read any further. */
export function refuse(service: Service, visit: Visit, error: unknown): void {
	const told =
		error instanceof ServiceError
			? error
			: new ServiceError(500, 'sandbox_error', (error as Error).stack ?? String(error));
	const answer = errorAnswer(told, service.settings.errorShape);
	const to = { ...visit, journal: service.journal };
	if (told.status !== 413) return endAnswer(to, answer);
	service.journal.breaks(visit.record);
	visit.response.once('finish', () => visit.response.socket?.destroySoon());
	endAnswer(to, { ...answer, headers: { ...answer.headers, connection: 'close' } });
}

function answerOf(operation: Endpoint['operation'], context: Context): Answer {
	try {
		return operation(context);
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		return errorAnswer(error, context.settings.errorShape);
	}
}

async function pause({ settings: { latency } }: Service, record: ReceivedRequest): Promise<void> {
	const ms = typeof latency === 'number' ? latency : latency(record);
	if (ms > 0) await delay(ms);
}
