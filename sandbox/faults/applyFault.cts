import type { IncomingMessage } from 'node:http';
import type { Fault } from './fault.cts';
import { hostileBody } from './hostileBodies.cts';
import type { Connections } from '../http/connections.cts';
import type { Destination } from '../http/send.cts';
import { halves, sendResponse, startResponse } from '../http/send.cts';
import type { ServiceResponse } from '../service/response.cts';
import { JSON_TYPE, jsonResponse, portalPage } from '../service/response.cts';
import { ServiceError, errorResponse } from '../service/errors.cts';
import type { SandboxSettings } from '../settings.cts';

/** A request and its response that a fault breaks. */
export interface FaultyExchange extends Destination {
	request: IncomingMessage;
	connections: Connections;
	settings: SandboxSettings;
}

/**
 * Breaks an exchange as the fault says, and ends it.
 *
 * @param given the response of the service; without one, the fault breaks a placeholder
 */
export function applyFault(fault: Fault, exchange: FaultyExchange, given?: ServiceResponse): void {
	const { request, response, record, journal } = exchange;
	const complete = given ?? jsonResponse(200, { message: 'Placeholder of a fault' });
	const length = Buffer.byteLength(complete.body ?? '');
	switch (fault.kind) {
		case 'reset':
			return reset(exchange);
		case 'never':
			request.resume();
			return journal.noteBroken(record);
		case 'resetInResponse':
			startResponse(exchange, complete, length);
			return afterDelay(exchange, FLUSH_MS, () => reset(exchange));
		case 'halfResponse':
			startResponse(exchange, complete, length + MISSING_BYTES);
			return afterDelay(exchange, FLUSH_MS, () => {
				abandon(exchange);
				response.socket?.end();
			});
		case 'stallHeaders':
			return afterDelay(exchange, fault.ms, () => sendResponse(exchange, complete));
		case 'stallBody': {
			const rest = startResponse(exchange, complete, length);
			return afterDelay(exchange, fault.ms, () => {
				journal.noteEnd(record);
				response.end(rest);
			});
		}
		default:
			return sendResponse(exchange, faultyResponse(fault, exchange, complete));
	}
}

/** By how much the Content-Length of a half response exceeds its body. */
const MISSING_BYTES = 100;

/** Time for written bytes to leave before the connection breaks. */
const FLUSH_MS = 20;

type ResponseFault = Extract<
	Fault,
	{
		kind: 'status' | 'webPage' | 'redirect' | 'cutJson' | 'wrongType' | 'body' | 'hostile' | 'echo';
	}
>;

function faultyResponse(
	fault: ResponseFault,
	{ record, settings }: FaultyExchange,
	response: ServiceResponse,
): ServiceResponse {
	switch (fault.kind) {
		case 'status':
			return statusResponse(fault, settings);
		case 'webPage':
			return portalPage();
		case 'redirect':
			return { status: fault.status ?? 302, headers: { location: fault.location } };
		case 'cutJson':
			return { ...response, body: halves(response.body ?? '')[0] };
		case 'wrongType':
			return { ...response, contentType: fault.contentType };
		case 'body':
			return {
				status: fault.status ?? 200,
				body: fault.body,
				contentType: fault.contentType ?? JSON_TYPE,
			};
		case 'hostile':
			return {
				status: fault.status ?? 200,
				body: hostileBody(fault.body),
				contentType: JSON_TYPE,
			};
		case 'echo':
			return jsonResponse(fault.status ?? 400, {
				message: `Refused: ${record.headers.authorization} ${JSON.stringify(record.body)}`,
				code: 'echo',
				request: { path: record.path, headers: record.headers, body: record.body },
			});
	}
}

function statusResponse(
	fault: Extract<Fault, { kind: 'status' }>,
	settings: SandboxSettings,
): ServiceResponse {
	if (fault.body !== undefined) {
		const { status, body, contentType = JSON_TYPE, headers } = fault;
		return { status, body, contentType, headers };
	}
	if (fault.status < 400) return { status: fault.status, headers: fault.headers };
	const error = new ServiceError(
		fault.status,
		'planned_fault',
		`The service returns ${fault.status}`,
		fault.headers,
	);
	return errorResponse(error, settings.errorShape);
}

function reset(exchange: FaultyExchange): void {
	abandon(exchange);
	exchange.connections.reset(exchange.request.socket);
}

/** Ends the request, and records that the sandbox breaks it. */
function abandon({ journal, record }: FaultyExchange): void {
	journal.noteBroken(record);
	journal.noteEnd(record);
}

function afterDelay({ response }: FaultyExchange, ms: number, action: () => void): void {
	const timer = setTimeout(action, ms);
	response.once('close', () => clearTimeout(timer));
}
