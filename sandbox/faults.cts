import type { ReceivedRequest } from './journal.cts';
import type { ServiceResponse } from './responses.cts';
import { errorResponse, JSON_TYPE, jsonResponse, portalPage, ServiceError } from './responses.cts';
import { assertSchema, type Schema } from './schemas.cts';
import type { Exchange } from './send.cts';
import { halves, reset, sendHalf, sendResponse } from './send.cts';
import type { SandboxSettings } from './settings.cts';

/**
 * How far a request gets. `arrival`: before the key is checked and the body is read. `body`: after the body is read,
 * with no effect. `effect`: after the request has its effect (an unknown outcome for the client).
 */
type FaultStage = 'arrival' | 'body' | 'effect';

/** What happens to which requests. Without a method and a path: to the next one. */
export interface Fault {
	kind: keyof typeof KINDS;
	method?: string;
	/** Matches the path and query as sent, with the base path. */
	path?: RegExp;
	/** How many requests; 1 by default. */
	times?: number;
	/** The first matching request, counted from 1. */
	nth?: number;
	when?: FaultStage;
	/** Of the response. */
	status?: number;
	body?: string;
	contentType?: string;
	headers?: Record<string, string>;
	/** Where a redirect leads. */
	location?: string;
	/** Bytes of the body after which the connection is reset. */
	afterBytes?: number;
	/** Milliseconds that a response stalls. */
	ms?: number;
}

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer', minimum: 0 };
const positive: Schema = { type: 'integer', minimum: 1 };

/** A fault as JSON: `times: null` has no end, and `path` is the source of a pattern. */
const SCHEMA = () => ({
	type: 'object',
	required: ['kind'],
	additionalProperties: false,
	properties: {
		...{ method: text, path: text, body: text, contentType: text, location: text },
		...{ nth: positive, times: { ...positive, type: ['integer', 'null'] } },
		...{ afterBytes: count, ms: count },
		kind: { enum: Object.keys(KINDS) },
		when: { enum: ['arrival', 'body', 'effect'] },
		status: { type: 'integer', minimum: 200, maximum: 599 },
		headers: { type: 'object', additionalProperties: text },
	},
});

/** @throws Error with all that is wrong with a fault */
export function parseFault(message: unknown): Fault {
	assertSchema(SCHEMA(), message, 'fault');
	const { path, times, ...rest } = message as Omit<Fault, 'path'> & { path?: string };
	return {
		...rest,
		...(path === undefined ? {} : { path: new RegExp(path) }),
		...(times === undefined ? {} : { times: times ?? Infinity }),
	};
}

type FaultExchange = Exchange & { settings: SandboxSettings };

/** The stage by default, and the response that is sent; nothing where the kind ends the exchange itself. */
type Kind = [
	when: FaultStage,
	apply: (
		fault: Omit<Fault, 'kind'>,
		given: ServiceResponse,
		exchange: FaultExchange,
	) => ServiceResponse | void,
];
const kind = (...one: Kind) => one;

/** Time for written bytes to leave before the connection breaks. */
const FLUSH_MS = 20;
/** By how much the Content-Length of a half response exceeds its body. */
const MISSING_BYTES = 100;

const KINDS = {
	/** A response with this status (500), and the service's own error body by default. */
	status: kind('body', ({ status = 500, body, contentType, headers }, _given, { settings }) => {
		if (body !== undefined || status < 400) return { status, body, contentType, headers };
		const message = `The service returns ${status}`;
		const error = new ServiceError(status, 'planned_fault', message, headers);
		return errorResponse(error, settings.errorShape);
	}),
	/** The connection is reset, or with `afterBytes` after that many bytes of the body. */
	reset: kind('arrival', (_fault, _given, exchange) => reset(exchange)),
	/** Headers and half of the response, then the connection is reset. */
	resetInResponse: kind('effect', (_fault, given, exchange) => {
		sendHalf(exchange, given);
		later(exchange, FLUSH_MS, () => reset(exchange));
	}),
	/** Less than the Content-Length, then the connection ends. */
	halfResponse: kind('effect', (_fault, given, exchange) => {
		sendHalf(exchange, given, MISSING_BYTES);
		later(exchange, FLUSH_MS, () => exchange.response.socket?.end());
	}),
	/** The response arrives after this time. */
	stallHeaders: kind('effect', ({ ms = 0 }, given, exchange) =>
		later(exchange, ms, () => sendResponse(exchange, given)),
	),
	/** Half of the response arrives at once, the rest after this time. */
	stallBody: kind('effect', ({ ms = 0 }, given, exchange) => {
		const rest = sendHalf(exchange, given);
		later(exchange, ms, () => {
			exchange.journal.noteEnd(exchange.record);
			exchange.response.end(rest);
		});
	}),
	/** No response, ever. */
	never: kind('body', (_fault, _given, { request }) => void request.resume()),
	/** The HTML page of the portal with status 200. */
	webPage: kind('body', portalPage),
	redirect: kind('body', ({ location = '/', status = 302 }) => ({ status, headers: { location } })),
	/** Half of the JSON, in a valid HTTP message. */
	cutJson: kind('effect', (_fault, given) => ({ ...given, body: halves(given.body)[0] })),
	/** The response with another Content-Type. */
	wrongType: kind('effect', ({ contentType }, given) => ({ ...given, contentType })),
	/** This body, as JSON with 200. */
	body: kind('body', ({ body }) => ({ status: 200, body, contentType: JSON_TYPE })),
	/** An error that repeats the headers and body of the request, with their secrets; 400 by default. */
	echo: kind('body', ({ status = 400 }, _given, { record: { path, headers, body } }) =>
		jsonResponse(status, {
			message: `Refused: ${headers.authorization} ${JSON.stringify(body)}`,
			code: 'echo',
			request: { path, headers, body },
		}),
	),
};

/** Breaks an exchange as the fault says, and ends it. Without a response of the service, it breaks a placeholder. */
export function applyFault(
	fault: Fault,
	exchange: FaultExchange,
	given: ServiceResponse = jsonResponse(200, { message: 'Placeholder of a fault' }),
): void {
	const response = KINDS[fault.kind][1](fault, given, exchange);
	if (response !== undefined) sendResponse(exchange, response);
}

function later({ response }: Exchange, ms: number, action: () => void): void {
	const timer = setTimeout(action, ms);
	response.once('close', () => clearTimeout(timer));
}

/** A planned fault and what has happened to it. */
interface PlannedFault {
	fault: Fault;
	stage: FaultStage;
	/** Matching requests so far. */
	matched: number;
	/** Requests that it was applied to. */
	applied: number;
}

/** The faults that wait for their requests. The first that matches is applied. */
export class FaultPlan {
	private planned: PlannedFault[] = [];

	add(fault: Fault): void {
		const early = fault.afterBytes === undefined ? KINDS[fault.kind][0] : 'body';
		this.planned.push({ fault, stage: fault.when ?? early, matched: 0, applied: 0 });
	}

	clear(): void {
		this.planned = [];
	}

	/** @returns the fault to apply to this request on its arrival, or later */
	take(record: ReceivedRequest, moment: 'arrival' | 'later'): PlannedFault | undefined {
		const found = this.planned.find(
			(planned) =>
				(planned.stage === 'arrival') === (moment === 'arrival') && applies(planned, record),
		);
		if (found !== undefined) record.fault = found.fault.kind;
		return found;
	}
}

function applies(planned: PlannedFault, { method, path }: ReceivedRequest): boolean {
	const { fault, applied } = planned;
	if (fault.method !== undefined && fault.method !== method) return false;
	if (fault.path !== undefined && path.search(fault.path) === -1) return false;
	if (applied >= (fault.times ?? 1)) return false;
	planned.matched += 1;
	if (planned.matched < (fault.nth ?? 1)) return false;
	planned.applied += 1;
	return true;
}
