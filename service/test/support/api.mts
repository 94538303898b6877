import type { Readable } from 'node:stream';
import { Agent, request, type Dispatcher } from 'undici';
import { findViolations } from './contract.mts';

export interface ErrorBody {
	message: string;
	code: string;
	fields?: Record<string, string>;
}

export interface Rules {
	dynamic?: boolean;
	recipients?: string[];
	downloadable?: boolean;
	geo?: Lists<{ country: string }>;
	ip?: Lists<string>;
	opens?: number;
	time?: { start?: string; end?: string };
}

interface Lists<T> {
	allow?: T[];
	block?: T[];
}

export interface Container {
	uuid: string;
	name: string;
	owner_id: string;
	created_date: string;
	updated_date: string;
	size: number;
	file_count: number;
	url: string;
	/** From here on, only in the response of GET /containers/{id}. */
	files: Array<{ name: string; type: string; size: number; sha256: string }>;
	opens_used: number;
}

export interface Envelope {
	org_id: string;
	container: Container;
}

export interface Contact {
	[field: string]: string | number | boolean;
	email: string;
	created_date: string;
	updated_date: string;
}

export interface ServiceEvent {
	id: string;
	created_date: string;
	action: string;
	container_id: string;
	container_name: string;
	user: string;
	detail: { ip?: string; country?: string; reason?: string; changed?: string[] };
}

export interface ApiResponse<T> {
	status: number;
	headers: Record<string, string>;
	body: T;
	text: string;
}

interface ApiRequest {
	/** An object is sent as JSON, text and bytes unchanged. */
	body?: object | string | Buffer | Readable;
	headers?: Record<string, string>;
}

export interface Api {
	/** For requests without this client. */
	dispatcher: Dispatcher;
	send<T = ErrorBody>(method: string, path: string, options?: ApiRequest): Promise<ApiResponse<T>>;
	get<T = ErrorBody>(path: string, headers?: Record<string, string>): Promise<ApiResponse<T>>;
	patch<T = ErrorBody>(
		path: string,
		body: unknown,
		headers?: Record<string, string>,
	): Promise<ApiResponse<T>>;
	delete(path: string): Promise<ApiResponse<ErrorBody>>;
	/** The same service with another key. */
	withKey(apiKey: string): Api;
}

/** A client of the API. It throws when a response isn't as docs/openapi.yaml says. */
export function createApi(options: { baseUrl: string; ca: string; apiKey: string }): Api {
	const { baseUrl, ca, apiKey } = options;
	const dispatcher = new Agent({
		connect: { ca },
		keepAliveTimeout: 1000,
		headersTimeout: 60_000,
		bodyTimeout: 60_000,
	});
	const send: Api['send'] = async <T,>(method: string, path: string, options: ApiRequest = {}) => {
		const { body } = options;
		const isRaw = typeof body === 'string' || Buffer.isBuffer(body) || (body && 'pipe' in body);
		const response = await request(baseUrl + path, {
			method: method as 'GET',
			headers: {
				authorization: `Bearer ${apiKey}`,
				...(body !== undefined && !isRaw && { 'content-type': 'application/json' }),
				...options.headers,
			},
			body: isRaw || body === undefined ? (body as Buffer) : JSON.stringify(body),
			dispatcher,
		});
		const text = await response.body.text();
		const headers = response.headers as Record<string, string>;
		const received = { status: response.statusCode, headers, text };
		const violations = findViolations(method, path.split('?')[0], received);
		if (violations.length > 0) {
			throw new Error(
				`${method} ${path} isn't as docs/openapi.yaml says: ${violations.join('; ')}\n` +
					`${received.status} ${text.slice(0, 500)}`,
			);
		}
		return { ...received, body: (text ? JSON.parse(text) : undefined) as T };
	};
	return {
		dispatcher,
		send,
		get: async (path, headers) => await send('GET', path, { headers }),
		patch: async (path, body, headers) =>
			await send('PATCH', path, { body: body as object, headers }),
		delete: async (path) => await send('DELETE', path),
		withKey: (key) => createApi({ ...options, apiKey: key }),
	};
}

/** Follows the links of a list to its end. */
export async function readList<T>(api: Api, path: string, baseUrl: string): Promise<T[]> {
	const entries: T[] = [];
	for (let next: string | undefined = path; next !== undefined;) {
		const { status, body, headers } = await api.get<T[]>(next);
		expect(status).toBe(200);
		entries.push(...body);
		next = nextPage(headers, baseUrl);
	}
	return entries;
}

/** The path of the next page below the base URL. */
export function nextPage(headers: Record<string, string>, baseUrl: string): string | undefined {
	const [, url] = /<([^>]*)>; rel="next"/.exec(headers.link ?? '') ?? [];
	if (url === undefined) return undefined;
	expect(url.startsWith(`${baseUrl}/`)).toBe(true);
	return url.slice(baseUrl.length);
}
