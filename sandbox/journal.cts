import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { SandboxSettings } from './settings.cts';
import type { FormPart } from './upload.cts';

/** One request as the service saw it. */
export interface ReceivedRequest {
	/** Counts up from 1 in order of arrival. */
	id: number;
	method: string;
	/** As sent: neither decoded nor normalized, with its query. */
	path: string;
	headers: IncomingHttpHeaders;
	/** A JSON body, parsed; any other body as text; of an upload, the manifest. */
	body?: unknown;
	parts?: Array<Omit<FormPart, 'text'>>;
	/** How it breaks the contract, if it does. */
	problems?: string[];
	operationId?: string;
	/** Of the response; absent until there is one. */
	status?: number;
	/** Arrival, and end of the response or of the connection, in milliseconds since 1970. */
	at: number;
	endedAt?: number;
	/** Bytes of the body that arrived. */
	bytes: number;
	/** Kind of the fault that is applied to it. */
	fault?: string;
}

export interface Counts {
	total: number;
	/** By operation; `none` for requests without one. */
	operations: Record<string, number>;
	/** By status of the response; `none` for requests that end without one. */
	statuses: Record<string, number>;
	inFlight: number;
	peakInFlight: number;
	connections: number;
}

const count = (counts: Record<string, number>, name: string) => {
	counts[name] = (counts[name] ?? 0) + 1;
};

/** Records what arrives: everything, or with `record: 'counts'` only the numbers. */
export class Journal {
	readonly requests: ReceivedRequest[] = [];
	readonly counts = {} as Counts;
	/** How responses of the sandbox break the contract: each is a mistake of the sandbox. */
	readonly violations = new Set<string>();
	private lastId = 0;

	constructor(private readonly settings: SandboxSettings) {
		this.clear();
	}

	open(request: IncomingMessage, response: ServerResponse): ReceivedRequest {
		const record: ReceivedRequest = {
			id: ++this.lastId,
			method: request.method ?? '',
			path: request.url ?? '',
			headers: request.headers,
			at: Date.now(),
			bytes: 0,
		};
		if (this.settings.record === 'full') this.requests.push(record);
		const { counts } = this;
		counts.total += 1;
		counts.inFlight += 1;
		counts.peakInFlight = Math.max(counts.peakInFlight, counts.inFlight);
		response.once('close', () => this.noteEnd(record));
		return record;
	}

	/** Records the status before it is sent: a client that has the response finds it here. */
	noteStatus(record: ReceivedRequest, status: number): void {
		record.status = status;
		count(this.counts.statuses, String(status));
	}

	/** Records the end of a request before the client has the complete response and sends the next request. */
	noteEnd(record: ReceivedRequest): void {
		if (record.endedAt !== undefined) return;
		record.endedAt = Date.now();
		this.counts.inFlight -= 1;
		count(this.counts.operations, record.operationId ?? 'none');
		if (record.status === undefined) count(this.counts.statuses, 'none');
	}

	noteViolation(violation: string): void {
		if (this.violations.has(violation)) return;
		this.violations.add(violation);
		process.stderr.write(`The sandbox breaks the contract: ${violation}\n`);
	}

	/** Forgets what has arrived. What is still open stays counted. */
	clear(): void {
		const { inFlight = 0 } = this.counts;
		this.requests.length = 0;
		Object.assign(this.counts, {
			total: 0,
			operations: {},
			statuses: {},
			inFlight,
			peakInFlight: inFlight,
			connections: 0,
		});
	}
}
