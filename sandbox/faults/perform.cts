import type { IncomingMessage } from 'node:http';
import type { Fault } from './fault.cts';
import { hostileBody } from './hostile-bodies.cts';
import type { Connections } from '../http/connections.cts';
import type { Destination } from '../http/send.cts';
import { beginAnswer, endAnswer, halves } from '../http/send.cts';
import type { Answer } from '../service/answer.cts';
import { JSON_TYPE, jsonAnswer, portalPage } from '../service/answer.cts';
import { ServiceError, errorAnswer } from '../service/errors.cts';
import type { SandboxSettings } from '../settings.cts';

/** One exchange that a fault breaks. */
export interface Exchange extends Destination {
	request: IncomingMessage;
	connections: Connections;
	settings: SandboxSettings;
}

/**
 * Does to an exchange what the fault says, and ends it.
 *
 * @param answer what the service would have answered; a fault before that breaks a made-up one
 */
export function performFault(fault: Fault, exchange: Exchange, answer?: Answer): void {
	const { request, response, record, journal } = exchange;
	const whole = answer ?? jsonAnswer(200, { message: 'Made up by a fault' });
	const length = Buffer.byteLength(whole.body ?? '');
	switch (fault.kind) {
		case 'reset':
			return reset(exchange);
		case 'never':
			request.resume();
			return journal.breaks(record);
		case 'resetInAnswer':
			beginAnswer(exchange, whole, length);
			return afterwards(exchange, FLUSH_MS, () => reset(exchange));
		case 'halfAnswer':
			beginAnswer(exchange, whole, length + MISSING_BYTES);
			return afterwards(exchange, FLUSH_MS, () => {
				leave(exchange);
				response.socket?.end();
			});
		case 'stallHeaders':
			return afterwards(exchange, fault.ms, () => endAnswer(exchange, whole));
		case 'stallBody': {
			const rest = beginAnswer(exchange, whole, length);
			return afterwards(exchange, fault.ms, () => {
				journal.ends(record);
				response.end(rest);
			});
		}
		default:
			return endAnswer(exchange, brokenAnswer(fault, exchange, whole));
	}
}

/** How much longer than its body a half answer says to be. */
const MISSING_BYTES = 100;

/** Time for what was written to leave before the connection breaks. */
const FLUSH_MS = 20;

type AnswerFault = Extract<
	Fault,
	{
		kind: 'status' | 'webPage' | 'redirect' | 'cutJson' | 'wrongType' | 'body' | 'hostile' | 'echo';
	}
>;

function brokenAnswer(fault: AnswerFault, { record, settings }: Exchange, answer: Answer): Answer {
	switch (fault.kind) {
		case 'status':
			return statusAnswer(fault, settings);
		case 'webPage':
			return portalPage();
		case 'redirect':
			return { status: fault.status ?? 302, headers: { location: fault.location } };
		case 'cutJson':
			return { ...answer, body: halves(answer.body ?? '')[0] };
		case 'wrongType':
			return { ...answer, contentType: fault.contentType };
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
			return jsonAnswer(fault.status ?? 400, {
				message: `Refused: ${record.headers.authorization} ${JSON.stringify(record.body)}`,
				code: 'echo',
				request: { path: record.path, headers: record.headers, body: record.body },
			});
	}
}

function statusAnswer(
	fault: Extract<Fault, { kind: 'status' }>,
	settings: SandboxSettings,
): Answer {
	if (fault.body !== undefined) {
		const { status, body, contentType = JSON_TYPE, headers } = fault;
		return { status, body, contentType, headers };
	}
	if (fault.status < 400) return { status: fault.status, headers: fault.headers };
	const error = new ServiceError(
		fault.status,
		'planned_fault',
		`The service answers ${fault.status}`,
		fault.headers,
	);
	return errorAnswer(error, settings.errorShape);
}

function reset(exchange: Exchange): void {
	leave(exchange);
	exchange.connections.reset(exchange.request.socket);
}

/** What follows is the sandbox's doing, and the end of the request. */
function leave({ journal, record }: Exchange): void {
	journal.breaks(record);
	journal.ends(record);
}

function afterwards({ response }: Exchange, ms: number, then: () => void): void {
	const timer = setTimeout(then, ms);
	response.once('close', () => clearTimeout(timer));
}
