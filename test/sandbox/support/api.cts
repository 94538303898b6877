import type { IncomingHttpHeaders } from 'node:http';
import { Agent } from 'undici';
import type { Dispatcher } from 'undici';
import type { Sandbox } from '../../../sandbox/index.cts';

export interface Reply {
	status: number;
	headers: IncomingHttpHeaders;
	text: string;
	/** The body as JSON; throws when it isn't JSON. */
	readonly json: unknown;
}

interface Call {
	body?: unknown;
	headers?: Record<string, string>;
	/** In place of the default user's key; null sends none. */
	apiKey?: string | null;
}

/** A client of one sandbox. It sends everything unchanged, paths too. */
export interface Api {
	call(method: Dispatcher.HttpMethod, path: string, options?: Call): Promise<Reply>;
	/** @returns a path below /users/{id of the default user} */
	mine(path: string): string;
	/** Sends `encodeFiles` with these parts. */
	encode(parts: Part[], options?: Call): Promise<Reply>;
	agent: Agent;
	close(): Promise<void>;
}

export interface Part {
	/** The header lines of the part. */
	head: string;
	content: string | Buffer;
}

export function createApi(sandbox: Sandbox): Api {
	const agent = new Agent({ connect: { ca: sandbox.ca } });
	const mine = (path: string) => `/users/${sandbox.user.id}${path}`;
	const call: Api['call'] = async (method, path, { body, headers, apiKey } = {}) => {
		const key = apiKey === undefined ? sandbox.apiKey : apiKey;
		const raw = typeof body === 'string' || Buffer.isBuffer(body);
		const response = await agent.request({
			origin: sandbox.origin,
			path: `/api/v1${path}`,
			method,
			headers: {
				...(key === null ? {} : { authorization: `Bearer ${key}` }),
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
				...headers,
			},
			...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
		});
		const text = await response.body.text();
		return {
			status: response.statusCode,
			headers: response.headers,
			text,
			get json() {
				return JSON.parse(text);
			},
		};
	};
	return {
		call,
		mine,
		encode: (parts, options = {}) =>
			call('POST', mine('/containers/encode'), {
				...options,
				body: multipart(parts),
				headers: {
					'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
					...options.headers,
				},
			}),
		agent,
		close: () => agent.destroy(),
	};
}

export const BOUNDARY = 'boundary-of-the-tests';

export function multipart(parts: Part[]): Buffer {
	return Buffer.concat([
		...parts.flatMap(({ head, content }) => [
			Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n`),
			Buffer.from(content as string),
			Buffer.from('\r\n'),
		]),
		Buffer.from(`--${BOUNDARY}--\r\n`),
	]);
}

export function manifestPart(manifest: unknown, name = 'manifest.json'): Part {
	return {
		head: `Content-Disposition: form-data; name="${name}"; filename="manifest.json"\r\nContent-Type: application/json`,
		content: typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
	};
}

export function filePart(
	content: string | Buffer,
	filename = 'a.txt',
	type = 'text/plain',
	name = 'file',
): Part {
	return {
		head: `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${type}`,
		content,
	};
}

/** A manifest with only a name. */
export const NAMED = manifestPart({ container: { name: 'Invoice' } });
