import type { Readable } from 'node:stream';
import { Agent, request, type Dispatcher } from 'undici';
import { findResponseViolations } from '../../../tools/contract.cts';

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
export class Api {
	/** For requests without this client. */
	readonly dispatcher: Dispatcher;

	constructor(private readonly access: { baseUrl: string; ca: string; apiKey: string }) {
		this.dispatcher = new Agent({ connect: { ca: access.ca }, keepAliveTimeout: 1000 });
	}

	async send<T = ErrorBody>(
		method: string,
		path: string,
		{ body, headers: more }: Options = {},
	): Promise<ApiResponse<T>> {
		const isRaw = typeof body !== 'object' || Buffer.isBuffer(body) || 'pipe' in body;
		const { statusCode: status, ...response } = await request(this.access.baseUrl + path, {
			method: method as 'GET',
			headers: {
				authorization: `Bearer ${this.access.apiKey}`,
				...(!isRaw && { 'content-type': 'application/json' }),
				...more,
			},
			body: isRaw ? (body as Buffer | undefined) : JSON.stringify(body),
			dispatcher: this.dispatcher,
		});
		const text = await response.body.text();
		const headers = response.headers as Record<string, string>;
		const violations = findResponseViolations(method, path.split('?')[0], {
			status,
			headers,
			text,
		});
		if (violations.length > 0) {
			const title = `${method} ${path}: ${status} ${text.slice(0, 500)}`;
			throw new Error(`${title} isn't as docs/openapi.yaml says: ${violations.join('; ')}`);
		}
		return { status, headers, text, body: (text ? JSON.parse(text) : undefined) as T };
	}

	async get<T = ErrorBody>(path: string, headers?: Options['headers']) {
		return await this.send<T>('GET', path, { headers });
	}

	async patch<T = ErrorBody>(path: string, body: object, headers?: Options['headers']) {
		return await this.send<T>('PATCH', path, { body, headers });
	}

	async delete(path: string) {
		return await this.send('DELETE', path);
	}

	/** Follows the links of a list to its end. */
	async getAll<T>(path: string): Promise<T[]> {
		const page = await this.get<T[]>(path);
		if (page.status !== 200) throw new Error(page.text);
		const next = this.nextPage(page);
		return next === undefined ? page.body : [...page.body, ...(await this.getAll<T>(next))];
	}

	/** The path of the next page below the base URL. */
	nextPage({ headers }: Pick<ApiResponse<unknown>, 'headers'>): string | undefined {
		const [, url] = /<([^>]*)>; rel="next"/.exec(headers.link ?? '') ?? [];
		const { baseUrl } = this.access;
		if (url && !url.startsWith(`${baseUrl}/`)) throw new Error(`Another base URL: ${url}`);
		return url?.slice(baseUrl.length);
	}

	/** The same service with another key. */
	withKey(apiKey: string): Api {
		return new Api({ ...this.access, apiKey });
	}
}
