import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from './fault.cts';
import { hostileBody } from './hostile-bodies.cts';
import type { Connections } from '../http/connections.cts';
import { endAnswer, headersOf } from '../http/send.cts';
import type { Journal, ReceivedRequest } from '../journal.cts';
import type { Answer } from '../service/answer.cts';
import { JSON_TYPE, jsonAnswer, portalPage } from '../service/answer.cts';
import { ServiceError, errorAnswer } from '../service/errors.cts';
import type { SandboxSettings } from '../settings.cts';

/** One exchange that a fault breaks. */
export interface Exchange {
	request: IncomingMessage;
	response: ServerResponse;
	record: ReceivedRequest;
	journal: Journal;
	connections: Connections;
	settings: SandboxSettings;
}

/**
 * Does to an exchange what the fault says, and ends it.
 *
 * @param answer what the service would have answered; a fault before that breaks a made-up one
 */
export function performFault(fault: Fault, exchange: Exchange, answer?: Answer): void {
	const { response, settings } = exchange;
	const whole = answer ?? jsonAnswer(200, { message: 'Made up by a fault' });
	switch (fault.kind) {
		case 'reset':
			return reset(exchange);
		case 'never':
			exchange.request.resume();
			exchange.journal.breaks(exchange.record);
			return;
		case 'resetInAnswer':
			writeHalf(exchange, whole, Buffer.byteLength(whole.body ?? ''));
			return afterwards(exchange, FLUSH_MS, () => reset(exchange));
		case 'halfAnswer':
			exchange.journal.breaks(exchange.record);
			writeHalf(exchange, whole, Buffer.byteLength(whole.body ?? '') + 100);
			return afterwards(exchange, FLUSH_MS, () => response.socket?.end());
		case 'stallHeaders':
			return afterwards(exchange, fault.ms, () => endAnswer(response, whole));
		case 'stallBody': {
			const rest = writeHalf(exchange, whole, Buffer.byteLength(whole.body ?? ''));
			return afterwards(exchange, fault.ms, () => response.end(rest));
		}
		default:
			return endAnswer(response, brokenAnswer(fault, exchange, whole, settings));
	}
}

/** Time for what was written to leave before the connection breaks. */
const FLUSH_MS = 20;

type AnswerFault = Extract<
	Fault,
	{
		kind: 'status' | 'webPage' | 'redirect' | 'cutJson' | 'wrongType' | 'body' | 'hostile' | 'echo';
	}
>;

function brokenAnswer(
	fault: AnswerFault,
	{ record }: Exchange,
	answer: Answer,
	settings: SandboxSettings,
): Answer {
	switch (fault.kind) {
		case 'status':
			return statusAnswer(fault, settings);
		case 'webPage':
			return portalPage();
		case 'redirect':
			return { status: fault.status ?? 302, headers: { location: fault.location } };
		case 'cutJson':
			return { ...answer, ...halves(answer.body ?? '')[0] };
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

function reset({ request, record, journal, connections }: Exchange): void {
	journal.breaks(record);
	connections.reset(request.socket);
}

function halves(body: string | Buffer): [{ body: Buffer }, { body: Buffer }] {
	const bytes = Buffer.from(body as string);
	const middle = Math.floor(bytes.length / 2);
	return [{ body: bytes.subarray(0, middle) }, { body: bytes.subarray(middle) }];
}

/** Sends the headers and the first half of an answer. @returns the second half */
function writeHalf({ response }: Exchange, answer: Answer, contentLength: number): Buffer {
	const [first, second] = halves(answer.body ?? '');
	response.writeHead(answer.status, { ...headersOf(answer), 'content-length': contentLength });
	response.flushHeaders();
	response.write(first.body);
	return second.body;
}

function afterwards({ response }: Exchange, ms: number, then: () => void): void {
	const timer = setTimeout(then, ms);
	response.once('close', () => clearTimeout(timer));
}
