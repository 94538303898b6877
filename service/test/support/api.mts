import type { Readable } from 'node:stream';
import { Agent, request, type Dispatcher } from 'undici';
import { findViolations } from './contract.mts';

export interface ErrorBody {
	message: string;
	code: string;
	fields?: Record<string, string>;
}

export interface Rules {
	opens?: number;
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

interface Options {
	/** An object is sent as JSON, text and bytes unchanged. */
	body?: object | string | Buffer | Readable;
	headers?: Record<string, string>;
}

/** A client of the API. It throws when a response isn't as docs/openapi.yaml says. */
export interface Api {
	/** For requests without this client. */
	dispatcher: Dispatcher;
	send<T = ErrorBody>(method: string, path: string, options?: Options): Promise<ApiResponse<T>>;
	get<T = ErrorBody>(path: string, headers?: Options['headers']): Promise<ApiResponse<T>>;
	patch<T = ErrorBody>(
		path: string,
		body: unknown,
		headers?: Options['headers'],
	): Promise<ApiResponse<T>>;
	delete(path: string): Promise<ApiResponse<ErrorBody>>;
	/** Follows the links of a list to its end. */
	getAll<T>(path: string): Promise<T[]>;
	/** The same service with another key. */
	withKey(apiKey: string): Api;
	/** The path of the next page below the base URL. */
	nextPage(response: Pick<ApiResponse<unknown>, 'headers'>): string | undefined;
}

export function createApi(options: { baseUrl: string; ca: string; apiKey: string }): Api {
	const { baseUrl, ca, apiKey } = options;
	const dispatcher = new Agent({ connect: { ca }, keepAliveTimeout: 1000 });
	const api: Api = {
		dispatcher,
		send: async <T,>(method: string, path: string, { body, headers: more }: Options = {}) => {
			const isRaw = typeof body !== 'object' || Buffer.isBuffer(body) || 'pipe' in body;
			const response = await request(baseUrl + path, {
				method: method as 'GET',
				headers: {
					authorization: `Bearer ${apiKey}`,
					...(!isRaw && { 'content-type': 'application/json' }),
					...more,
				},
				body: isRaw ? (body as Buffer | undefined) : JSON.stringify(body),
				dispatcher,
			});
			const text = await response.body.text();
			const headers = response.headers as Record<string, string>;
			const received = { status: response.statusCode, headers, text };
			const violations = findViolations(method, path.split('?')[0], received);
			if (violations.length > 0) {
				const title = `${method} ${path}: ${response.statusCode} ${text.slice(0, 500)}`;
				throw new Error(`${title} isn't as docs/openapi.yaml says: ${violations.join('; ')}`);
			}
			return { ...received, body: (text ? JSON.parse(text) : undefined) as T };
		},
		get: async (path, headers) => await api.send('GET', path, { headers }),
		patch: async (path, body, headers) =>
			await api.send('PATCH', path, { body: body as object, headers }),
		delete: async (path) => await api.send('DELETE', path),
		getAll: async <T,>(path: string) => {
			const entries: T[] = [];
			for (let next: string | undefined = path; next !== undefined;) {
				const page: ApiResponse<T[]> = await api.get<T[]>(next);
				if (page.status !== 200) throw new Error(page.text);
				entries.push(...page.body);
				next = api.nextPage(page);
			}
			return entries;
		},
		withKey: (key) => createApi({ ...options, apiKey: key }),
		nextPage: ({ headers }) => {
			const [, url] = /<([^>]*)>; rel="next"/.exec(headers.link ?? '') ?? [];
			if (url === undefined) return undefined;
			if (!url.startsWith(`${baseUrl}/`)) throw new Error(`Another base URL: ${url}`);
			return url.slice(baseUrl.length);
		},
	};
	return api;
}
