import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Journal, ReceivedRequest } from './journal.cts';
import type { ServiceResponse } from './responses.cts';

/** One request, and where its response goes and is recorded. */
export interface Exchange {
	request: IncomingMessage;
	response: ServerResponse;
	record: ReceivedRequest;
	journal: Journal;
	connections: Connections;
}

/** The body that is sent. A 204 and a 304 have none (RFC 9110, 6.4.1). */
export const bodyOf = ({ status, body = '' }: ServiceResponse) =>
	status === 204 || status === 304 ? '' : body;

/** Sends a complete response. */
export function sendResponse({ response, record, journal }: Exchange, sent: ServiceResponse): void {
	const body = bodyOf(sent);
	const isBodiless = sent.status === 204 || sent.status === 304;
	journal.noteStatus(record, sent.status);
	const length = isBodiless ? {} : { 'content-length': Buffer.byteLength(body) };
	response.writeHead(sent.status, { ...headersOf(sent), ...length });
	journal.noteEnd(record);
	response.end(body);
}

/** Sends the headers and the first half of a response, which announce more bytes. @returns the second half */
export function sendHalf(
	{ response, record, journal }: Exchange,
	sent: ServiceResponse,
	missing = 0,
): Buffer {
	const [first, second] = halves(sent.body);
	journal.noteStatus(record, sent.status);
	const length = first.length + second.length + missing;
	response.writeHead(sent.status, { ...headersOf(sent), 'content-length': length });
	response.flushHeaders();
	response.write(first);
	return second;
}

export function halves(body: ServiceResponse['body'] = ''): [Buffer, Buffer] {
	const bytes = Buffer.from(body as string);
	const middle = Math.floor(bytes.length / 2);
	return [bytes.subarray(0, middle), bytes.subarray(middle)];
}

/** Breaks the connection (RST): the client sees ECONNRESET. */
export function reset({ request, record, journal, connections }: Exchange): void {
	journal.noteEnd(record);
	connections.reset(request.socket);
}

function headersOf({ contentType, headers }: ServiceResponse): Record<string, string> {
	return { ...(contentType === undefined ? {} : { 'content-type': contentType }), ...headers };
}

/** The open TCP connections: a fault resets them below TLS, and a stop ends them. */
export class Connections {
	private readonly open = new Map<string, Socket>();

	add(socket: Socket): void {
		const peer = peerOf(socket);
		this.open.set(peer, socket);
		socket.once('close', () => this.open.delete(peer));
	}

	reset(socket: Socket): void {
		const tcp = this.open.get(peerOf(socket));
		if (tcp === undefined) socket.destroy();
		else tcp.resetAndDestroy();
	}

	closeAll(): void {
		for (const socket of this.open.values()) socket.destroy();
	}
}

const peerOf = (socket: Socket) => `${socket.remoteAddress}|${socket.remotePort}`;
