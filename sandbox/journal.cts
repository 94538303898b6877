import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { OperationId } from './contract/document.cts';
import type { SandboxSettings } from './settings.cts';

/** One part of a multipart body as it arrives. */
export interface ReceivedPart {
	name: string;
	/** Decoded: UTF-8, with the line ends and quotes that a form escapes. Absent when the part names no file. */
	filename?: string;
	/** The part's Content-Disposition as sent. */
	disposition: string;
	/** The part's Content-Type as sent; empty when it has none. */
	type: string;
	size: number;
	/** Of the bytes, in hex; absent when `hashFiles` is off. */
	sha256?: string;
	/** Where the bytes are, when `keepFiles` is on. */
	path?: string;
}

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
	parts?: ReceivedPart[];
	/** How it breaks the contract, if it does. */
	problems?: string[];
	operationId?: OperationId;
	/** Id of the user whose key it carries. */
	userId?: string;
	/** Of the response; absent until there is one. */
	status?: number;
	/** Arrival, and end of the response or of the connection, in milliseconds since 1970. */
	at: number;
	endedAt?: number;
	/** The client left before it had the complete response. */
	aborted: boolean;
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
	aborted: number;
	inFlight: number;
	peakInFlight: number;
	connections: number;
	openConnections: number;
	peakOpenConnections: number;
}

const count = (counts: Record<string, number>, name: string) => {
	counts[name] = (counts[name] ?? 0) + 1;
};

const noCounts = (): Counts => ({
	total: 0,
	operations: {},
	statuses: {},
	aborted: 0,
	inFlight: 0,
	peakInFlight: 0,
	connections: 0,
	openConnections: 0,
	peakOpenConnections: 0,
});

/** Records what arrives: everything, or with `record: 'counts'` only the numbers. */
export class Journal {
	readonly requests: ReceivedRequest[] = [];
	readonly counts = noCounts();
	/** How responses of the sandbox break the contract: each is a mistake of the sandbox. */
	readonly violations = new Set<string>();
	private lastId = 0;
	private readonly brokenHere = new WeakSet<ReceivedRequest>();

	constructor(private readonly settings: SandboxSettings) {}

	open(request: IncomingMessage, response: ServerResponse): ReceivedRequest {
		const record: ReceivedRequest = {
			id: ++this.lastId,
			method: request.method ?? '',
			path: request.url ?? '',
			headers: request.headers,
			at: Date.now(),
			aborted: false,
			bytes: 0,
		};
		if (this.settings.record === 'full') this.requests.push(record);
		const { counts } = this;
		counts.total += 1;
		counts.inFlight += 1;
		if (counts.inFlight > counts.peakInFlight) counts.peakInFlight = counts.inFlight;
		response.once('close', () => this.noteClose(record, response));
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

	/** Records that the sandbox breaks this exchange, so that it doesn't count as aborted by the client. */
	noteBroken(record: ReceivedRequest): void {
		this.brokenHere.add(record);
	}

	noteViolation(violation: string): void {
		if (this.violations.has(violation)) return;
		this.violations.add(violation);
		process.stderr.write(`The sandbox breaks the contract: ${violation}\n`);
	}

	connectionOpened(): void {
		const { counts } = this;
		counts.connections += 1;
		counts.openConnections += 1;
		counts.peakOpenConnections = Math.max(counts.peakOpenConnections, counts.openConnections);
	}

	connectionClosed(): void {
		this.counts.openConnections -= 1;
	}

	/** Forgets what has arrived. What is still open stays counted. */
	clear(): void {
		const { inFlight, openConnections } = this.counts;
		this.requests.length = 0;
		Object.assign(this.counts, noCounts(), {
			inFlight,
			peakInFlight: inFlight,
			openConnections,
			peakOpenConnections: openConnections,
		});
	}

	private noteClose(record: ReceivedRequest, response: ServerResponse): void {
		if (!response.writableFinished && !this.brokenHere.has(record)) {
			record.aborted = true;
			this.counts.aborted += 1;
		}
		this.noteEnd(record);
	}
}
