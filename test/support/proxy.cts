import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import type { ServerCertificate } from './certificate.cts';

/** A request as it arrived. */
export interface ProxiedRequest {
	method: string;
	/** Path and query, as sent. */
	path: string;
	headers: IncomingHttpHeaders;
	/** What arrived so far; nothing of an upload of more than 64 MB. */
	body: Buffer;
	/** Bytes that arrived so far. */
	bytes: number;
	/** When it arrived, in milliseconds. */
	at: number;
	/** Reads the whole body, or so many bytes of it. Without this, nothing is read. */
	read(bytes?: number): Promise<void>;
}

export interface Reply {
	status: number;
	headers?: Record<string, string>;
	/** A stream that fails cuts the connection within the response. */
	body?: string | Buffer | Readable;
}

/**
 * What happens to a request. `pass` sends it to the service, and returns the response. The result is sent to the
 * client; 'cut' closes the connection instead.
 */
export type Handler = (
	request: ProxiedRequest,
	pass: () => Promise<Reply>,
) => Promise<Reply | 'cut'>;

/** Which requests a handler gets: without a method and a path, all. */
export interface Match {
	method?: string;
	/** Matches path and query. */
	path?: RegExp;
	/** How many requests; 1 by default. */
	times?: number;
}

const MAX_RECORDED = 64e6;
/** They are about one connection. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * An HTTPS proxy on this machine. Where no handler matches, all passes unchanged.
 * @param certificate of the proxy, and the authority of the service's
 * @param port of the service
 */
export async function startProxy({ key, cert, ca }: ServerCertificate, port: number) {
	const requests: ProxiedRequest[] = [];
	const handlers: Array<Match & { handler: Handler; left: number }> = [];
	const agent = new https.Agent({ keepAlive: true, ca });

	const find = (request: ProxiedRequest): Handler | undefined => {
		const isMatch = ({ method = request.method, path }: Match) =>
			method === request.method && path?.test(request.path) !== false;
		const entry = handlers.find((one) => one.left > 0 && isMatch(one));
		if (entry) entry.left -= 1;
		return entry?.handler;
	};
	const connect = ({ method, path, headers }: ProxiedRequest) =>
		https.request({
			...{ method, path, port, agent, host: '127.0.0.1', servername: 'localhost' },
			headers: without(headers, ['connection']),
		});
	const passUnchanged = async (
		request: ProxiedRequest,
		incoming: IncomingMessage,
		response: ServerResponse,
	) => {
		const outgoing = incoming.pipe(connect(request));
		response.once('close', () => outgoing.destroy());
		const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
		response.writeHead(answer.statusCode ?? 0, without(answer.headers, OF_CONNECTION));
		answer.once('error', () => response.destroy()).pipe(response);
	};
	const pass = async (request: ProxiedRequest): Promise<Reply> => {
		await request.read();
		const outgoing = connect(request).end(request.body);
		const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
		const body = Buffer.concat(await answer.toArray());
		const headers = without(answer.headers, [...OF_CONNECTION, 'content-length']);
		return { status: answer.statusCode ?? 0, headers: headers as Record<string, string>, body };
	};
	const server = https.createServer({ key, cert, requestTimeout: 0 }, (incoming, response) => {
		const request = receive(incoming);
		requests.push(request);
		const handler = find(request);
		const work = async () => {
			if (handler === undefined) return await passUnchanged(request, incoming, response);
			send(response, await handler(request, async () => await pass(request)));
		};
		work().catch(() => response.destroy());
	});
	server.keepAliveTimeout = 60_000;
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		origin: `https://localhost:${(server.address() as AddressInfo).port}`,
		/** All requests since the start or the last `clear`, oldest first. */
		requests,
		/** The first handler that matches a request gets it. @returns what ends that */
		on: (match: Match, handler: Handler) => {
			const entry = { ...match, handler, left: match.times ?? 1 };
			handlers.push(entry);
			return () => void (entry.left = 0);
		},
		/** Forgets the requests and the handlers. */
		clear: () => {
			requests.length = 0;
			handlers.length = 0;
		},
		stop: async () => {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			agent.destroy();
			await closed;
		},
	};
}

/** A handler that changes the JSON of the service's response. */
export const rewrite =
	(change: (value: unknown, reply: Reply) => unknown): Handler =>
	async (_request, pass) => {
		const reply = await pass();
		const text = String(reply.body);
		const changed = change(text === '' ? undefined : JSON.parse(text), reply);
		return { ...reply, body: changed === undefined ? '' : JSON.stringify(changed) };
	};

/** Refuses a request with this status. */
export const refuse =
	(status: number, message = 'Refused', headers: Reply['headers'] = {}): Handler =>
	async ({ read }) => {
		await read();
		return { status, headers, body: JSON.stringify({ message, code: 'refused' }) };
	};

/** Refuses a request because of a rate limit. */
export const tooManyRequests = refuse(429, 'Wait', { 'retry-after': '1' });

/** Reads nothing and never responds. */
export const never: Handler = async () => await new Promise(() => undefined);

function receive(incoming: IncomingMessage): ProxiedRequest {
	const chunks: Buffer[] = [];
	const { method = '', url: path = '', headers } = incoming;
	const isRecorded = Number(headers['content-length'] ?? 0) <= MAX_RECORDED;
	const request = {
		...{ method, path, headers, bytes: 0, at: performance.now() },
		get body() {
			return Buffer.concat(chunks);
		},
		read: async (bytes = Infinity) =>
			await new Promise<void>((resolve, reject) => {
				const check = () => {
					if (request.bytes >= bytes || incoming.readableEnded) resolve();
				};
				incoming.on('data', check).once('end', resolve);
				incoming.once('close', () => reject(new Error('The client is gone'))).resume();
				check();
			}),
	};
	incoming.on('data', (chunk: Buffer) => {
		request.bytes += chunk.length;
		if (isRecorded) chunks.push(chunk);
	});
	// Whoever wants the body starts it.
	incoming.pause();
	return request;
}

function send(response: ServerResponse, reply: Reply | 'cut'): void {
	if (reply === 'cut') return void response.destroy();
	const { status, headers = {}, body = '' } = reply;
	const type = { 'content-type': 'application/json' };
	if (body instanceof Readable) {
		response.writeHead(status, { ...type, ...headers });
		return void pipeline(body, response, () => undefined);
	}
	const bytes = Buffer.from(body);
	const length = status === 204 ? {} : { 'content-length': String(bytes.length) };
	response.writeHead(status, { ...type, ...length, ...headers }).end(bytes);
}

function without(headers: IncomingHttpHeaders, names: string[]): IncomingHttpHeaders {
	return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
