import type { Schema } from './contract.cts';
import type { ReceivedRequest } from './journal.cts';
import type { ServiceResponse } from './responses.cts';
import { errorResponse, JSON_TYPE, jsonResponse, portalPage, ServiceError } from './responses.cts';
import type { Exchange } from './send.cts';
import { halves, reset, sendHalf, sendResponse } from './send.cts';
import { assertSchema } from './schemas.cts';
import type { SandboxSettings } from './settings.cts';

/** Which requests a fault applies to. Without any of these: the next one. */
export interface FaultMatch {
	method?: string;
	/** Matches the path and query as sent, with the base path. */
	path?: RegExp;
	/** How many requests; 1 by default. */
	times?: number;
	/** The first matching request, counted from 1. */
	nth?: number;
	/**
	 * `arrival`: before the key is checked and the body is read. `body`: after the body is read, with no effect.
	 * `effect`: after the request has its effect (an unknown outcome for the client).
	 */
	when?: 'arrival' | 'body' | 'effect';
}

type FaultStage = NonNullable<FaultMatch['when']>;

/** A kind of fault: when it happens by default, what it can be given, and the response or what becomes of the connection. */
interface Rule<Given> {
	when: FaultStage;
	fields: { [Name in keyof Given]-?: Schema };
	required?: Array<keyof Given>;
	respond?(fault: Given, given: ServiceResponse, context: FaultContext): ServiceResponse;
	send?(fault: Given, given: ServiceResponse, exchange: Exchange): void;
}

const rule = <Given extends object = object>(one: Rule<Given>) => one;

interface FaultContext {
	record: ReceivedRequest;
	settings: SandboxSettings;
}

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer', minimum: 0 };
const status: Schema = { type: 'integer', minimum: 200, maximum: 599 };
const headers: Schema = { type: 'object', additionalProperties: text };

/** Time for written bytes to leave before the connection breaks. */
const FLUSH_MS = 20;
/** By how much the Content-Length of a half response exceeds its body. */
const MISSING_BYTES = 100;

/** What can happen to a request. */
const RULES = {
	/** A response with this status, and the service's own error body by default. */
	status: rule<{
		status: number;
		body?: string;
		contentType?: string;
		headers?: Record<string, string>;
	}>({
		when: 'body',
		fields: { status, body: text, contentType: text, headers },
		required: ['status'],
		respond({ status: code, body, contentType = JSON_TYPE, headers: more }, _given, { settings }) {
			if (body !== undefined) return { status: code, body, contentType, headers: more };
			if (code < 400) return { status: code, headers: more };
			const message = `The service returns ${code}`;
			const error = new ServiceError(code, 'planned_fault', message, more);
			return errorResponse(error, settings.errorShape);
		},
	}),
	/** The connection is reset, or with `afterBytes` after that many bytes of the body. */
	reset: rule<{ afterBytes?: number }>({
		when: 'arrival',
		fields: { afterBytes: count },
		send: (_fault, _given, exchange) => reset(exchange),
	}),
	/** Headers and half of the response, then the connection is reset. */
	resetInResponse: rule({
		when: 'effect',
		fields: {},
		send(_fault, given, exchange) {
			sendHalf(exchange, given);
			later(exchange, FLUSH_MS, () => reset(exchange));
		},
	}),
	/** Less than the Content-Length, then the connection ends. */
	halfResponse: rule({
		when: 'effect',
		fields: {},
		send(_fault, given, exchange) {
			sendHalf(exchange, given, MISSING_BYTES);
			later(exchange, FLUSH_MS, () => exchange.response.socket?.end());
		},
	}),
	/** The response arrives after this time. */
	stallHeaders: rule<{ ms: number }>({
		when: 'effect',
		fields: { ms: count },
		required: ['ms'],
		send: ({ ms }, given, exchange) => later(exchange, ms, () => sendResponse(exchange, given)),
	}),
	/** Half of the response arrives at once, the rest after this time. */
	stallBody: rule<{ ms: number }>({
		when: 'effect',
		fields: { ms: count },
		required: ['ms'],
		send({ ms }, given, exchange) {
			const rest = sendHalf(exchange, given);
			later(exchange, ms, () => {
				exchange.journal.noteEnd(exchange.record);
				exchange.response.end(rest);
			});
		},
	}),
	/** No response, ever. */
	never: rule({
		when: 'body',
		fields: {},
		send: (_f, _given, { request }) => void request.resume(),
	}),
	/** The HTML page of the portal with status 200. */
	webPage: rule({ when: 'body', fields: {}, respond: () => portalPage() }),
	/** A redirect; 302 by default. */
	redirect: rule<{ location: string; status?: number }>({
		when: 'body',
		fields: { location: text, status },
		required: ['location'],
		respond: ({ location, status: code = 302 }) => ({ status: code, headers: { location } }),
	}),
	/** Half of the JSON, in a valid HTTP message. */
	cutJson: rule({
		when: 'effect',
		fields: {},
		respond: (_fault, given) => ({ ...given, body: halves(given.body)[0] }),
	}),
	/** The response with another Content-Type. */
	wrongType: rule<{ contentType: string }>({
		when: 'effect',
		fields: { contentType: text },
		required: ['contentType'],
		respond: ({ contentType }, given) => ({ ...given, contentType }),
	}),
	/** This body, as JSON with 200. */
	body: rule<{ body: string }>({
		when: 'body',
		fields: { body: text },
		required: ['body'],
		respond: ({ body }) => ({ status: 200, body, contentType: JSON_TYPE }),
	}),
	/** An error that repeats the headers and body of the request, with their secrets; 400 by default. */
	echo: rule<{ status?: number }>({
		when: 'body',
		fields: { status },
		respond: ({ status: code = 400 }, _given, { record: { path, headers: sent, body } }) =>
			jsonResponse(code, {
				message: `Refused: ${sent.authorization} ${JSON.stringify(body)}`,
				code: 'echo',
				request: { path, headers: sent, body },
			}),
	}),
};

type Rules = typeof RULES;

/** What happens to a request. */
export type FaultKind = {
	[K in keyof Rules]: { kind: K } & (Rules[K] extends Rule<infer Given> ? Given : never);
}[keyof Rules];

export type Fault = FaultMatch & FaultKind;

/** Breaks an exchange as the fault says, and ends it. Without a response of the service, it breaks a placeholder. */
export function applyFault(
	fault: FaultKind,
	exchange: Exchange & FaultContext,
	given: ServiceResponse = jsonResponse(200, { message: 'Placeholder of a fault' }),
): void {
	const { respond, send } = RULES[fault.kind] as Rule<object>;
	if (send !== undefined) send(fault, given, exchange);
	else if (respond !== undefined) sendResponse(exchange, respond(fault, given, exchange));
}

function later({ response }: Exchange, ms: number, action: () => void): void {
	const timer = setTimeout(action, ms);
	response.once('close', () => clearTimeout(timer));
}

/** A planned fault and what has happened to it. */
export interface PlannedFault {
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

	/** @returns the planned fault; its counts stay current */
	add(fault: Fault): PlannedFault {
		const isLateReset = fault.kind === 'reset' && fault.afterBytes !== undefined;
		const stage = fault.when ?? (isLateReset ? 'body' : RULES[fault.kind].when);
		const planned = { fault, stage, matched: 0, applied: 0 };
		this.planned.push(planned);
		return planned;
	}

	list(): readonly PlannedFault[] {
		return this.planned;
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

/** A fault as JSON: `times: null` has no end, `path` is the source and flags of a pattern. */
type FaultMessage = Omit<Fault, 'path' | 'times'> & {
	path?: { source: string; flags?: string };
	times?: number | null;
};

const match = {
	kind: text,
	method: text,
	path: {
		type: 'object',
		additionalProperties: false,
		properties: { source: text, flags: text },
		required: ['source'],
	},
	times: { type: ['integer', 'null'], minimum: 1 },
	nth: { type: 'integer', minimum: 1 },
	when: { enum: ['arrival', 'body', 'effect'] },
};

/** @throws Error with all that is wrong with a fault */
export function parseFault(body: unknown): Fault {
	const kind = { enum: Object.keys(RULES) };
	assertSchema({ type: 'object', required: ['kind'], properties: { kind } }, body, 'fault');
	const message = body as FaultMessage;
	const { fields, required = [] } = RULES[message.kind] as Rule<object>;
	const properties = { ...match, ...fields };
	assertSchema(
		{ type: 'object', additionalProperties: false, properties, required },
		body,
		'fault',
	);
	const { path, times, ...rest } = message;
	return {
		...rest,
		...(path === undefined ? {} : { path: new RegExp(path.source, path.flags) }),
		...(times === undefined ? {} : { times: times ?? Infinity }),
	} as Fault;
}
