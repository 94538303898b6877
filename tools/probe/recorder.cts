import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** A request and its response. */
export interface Exchange {
	method: string;
	/** Path and query as sent. */
	path: string;
	status: number;
	headers: Record<string, string>;
	text: string;
}

const CHANNEL = 'http.client.response.finish';
const decoders: Record<string, (body: Buffer) => Buffer> = {
	gzip: gunzipSync,
	deflate: inflateSync,
	br: brotliDecompressSync,
};

/**
 * Runs `work` and records what a host responds meanwhile, complete or not, without the requests' headers and bodies.
 *
 * Not nock's recorder: it takes the place of the connection, and what is to be seen is what the connection does.
 */
export async function recordExchanges<T>(
	host: string,
	work: () => Promise<T>,
): Promise<{ result: T; exchanges: Exchange[] }> {
	const exchanges: Array<() => Exchange> = [];
	const onResponse = (message: unknown) => {
		const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
		if (request.getHeader('host') !== host) return;
		const chunks: Buffer[] = [];
		const push = response.push.bind(response);
		response.push = (chunk, encoding) => {
			if (chunk !== null) chunks.push(Buffer.from(chunk));
			return push(chunk, encoding);
		};
		exchanges.push(() => ({
			method: request.method,
			path: request.path,
			status: response.statusCode ?? 0,
			headers: Object.fromEntries(
				Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
			),
			text: decode(Buffer.concat(chunks), response.headers['content-encoding']),
		}));
	};
	subscribe(CHANNEL, onResponse);
	try {
		const result = await work();
		return { result, exchanges: exchanges.map((toExchange) => toExchange()) };
	} finally {
		unsubscribe(CHANNEL, onResponse);
	}
}

function decode(body: Buffer, encoding = ''): string {
	try {
		return (decoders[encoding]?.(body) ?? body).toString();
	} catch {
		// The response was cut off.
		return '';
	}
}

/** The body as JSON; undefined when it is something else. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
