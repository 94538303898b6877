import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointName, SandboxSettings } from './settings.cts';

/** One part of a multipart body as it came in. */
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
	/** As sent: neither decoded nor normalised, with its query. */
	path: string;
	headers: IncomingHttpHeaders;
	/** JSON where the body is that, else text; of an upload the manifest. */
	body?: unknown;
	parts?: ReceivedPart[];
	endpoint?: EndpointName;
	/** Id of the user whose key it carried. */
	userId?: string;
	/** Of the answer; absent while there is none. */
	status?: number;
	/** Arrival, and end of the answer or of the connection, in milliseconds since 1970. */
	at: number;
	endedAt?: number;
	/** The client went away before it had its answer. */
	aborted: boolean;
	/** Bytes of the body that were read. */
	bytes: number;
	/** Kind of the fault that it met. */
	fault?: string;
}

export interface Counts {
	total: number;
	/** By name of the end point; `none` for what is no end point. */
	endpoints: Record<string, number>;
	/** By status of the answer; `none` for requests that ended without one. */
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
	endpoints: {},
	statuses: {},
	aborted: 0,
	inFlight: 0,
	peakInFlight: 0,
	connections: 0,
	openConnections: 0,
	peakOpenConnections: 0,
});

/** Writes down what arrives: everything, or with `record: 'counts'` only how much. */
export class Journal {
	readonly requests: ReceivedRequest[] = [];
	readonly counts = noCounts();
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
		response.once('close', () => this.closed(record, response));
		return record;
	}

	/** Notes the status before it leaves: whoever has the answer finds it here. */
	answers(record: ReceivedRequest, status: number): void {
		record.status = status;
		count(this.counts.statuses, String(status));
	}

	/** Notes the end of a request before its answer is complete at the client, who may then send the next. */
	ends(record: ReceivedRequest): void {
		if (record.endedAt !== undefined) return;
		record.endedAt = Date.now();
		this.counts.inFlight -= 1;
		count(this.counts.endpoints, record.endpoint ?? 'none');
		if (record.status === undefined) count(this.counts.statuses, 'none');
	}

	/** Notes that it is the sandbox that breaks this exchange, so that it is not taken for the client's doing. */
	breaks(record: ReceivedRequest): void {
		this.brokenHere.add(record);
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

	/** Forgets what was received; what is still open goes on being counted. */
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

	private closed(record: ReceivedRequest, response: ServerResponse): void {
		if (!response.writableFinished && !this.brokenHere.has(record)) {
			record.aborted = true;
			this.counts.aborted += 1;
		}
		this.ends(record);
	}
}
