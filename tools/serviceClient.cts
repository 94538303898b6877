import type { Readable } from 'node:stream';
import type { IDataObject } from 'n8n-workflow';
import { Agent, EnvHttpProxyAgent, FormData, request, type Dispatcher } from 'undici';
import { findResponseViolations } from './contract.cts';

export interface Access {
	baseUrl: string;
	apiKey: string;
	/** PEM of the authority to trust. Without it, the settings of this machine count: public ones, and its proxy. */
	ca?: string;
}

export interface ApiResponse<T> {
	status: number;
	headers: Record<string, string>;
	/** Nothing where it is a file. */
	body: T;
	text: string;
	bytes: Buffer;
}

export interface ErrorBody {
	message: string;
	code: string;
	fields?: Record<string, string>;
}

interface Options {
	/** An object is sent as JSON, a form, text and bytes unchanged. */
	body?: object | string | Buffer | Readable | FormData;
	headers?: Record<string, string>;
}

/** A response isn't as docs/openapi.yaml says. */
export class ContractError extends Error {
	constructor(
		title: string,
		readonly violations: string[],
	) {
		super(`${title} isn't as docs/openapi.yaml says: ${violations.join('; ')}`);
	}
}

/** A client of the API. It throws a ContractError where a response isn't as docs/openapi.yaml says. */
export class Api {
	/** For requests without this client. */
	readonly dispatcher: Dispatcher;

	constructor(private readonly access: Access) {
		const { ca } = access;
		// Many that connect at once wait for each other.
		const options = { connections: 64, keepAliveTimeout: 1000 };
		const isBehindProxy = ca === undefined && process.env.HTTPS_PROXY !== undefined;
		this.dispatcher = isBehindProxy
			? new EnvHttpProxyAgent()
			: new Agent({ ...options, connect: { ca, timeout: 60_000 } });
	}

	async send<T = ErrorBody>(
		method: string,
		path: string,
		{ body, headers: more }: Options = {},
	): Promise<ApiResponse<T>> {
		const isJson =
			typeof body === 'object' &&
			!(Buffer.isBuffer(body) || 'pipe' in body || body instanceof FormData);
		const { statusCode: status, ...response } = await request(this.access.baseUrl + path, {
			method: method as 'GET',
			headers: {
				authorization: `Bearer ${this.access.apiKey}`,
				...(isJson && { 'content-type': 'application/json' }),
				...more,
			},
			body: isJson ? JSON.stringify(body) : (body as Buffer | undefined),
			dispatcher: this.dispatcher,
		});
		const bytes = Buffer.from(await response.body.arrayBuffer());
		const text = bytes.toString();
		const headers = response.headers as Record<string, string>;
		const received = { status, headers, text };
		const violations = findResponseViolations(method, path.split('?')[0], received);
		if (violations.length > 0) {
			const title = `${method} ${path}: ${status} ${text.slice(0, 500)}`;
			throw new ContractError(title, violations);
		}
		const isFile = headers['content-disposition'] !== undefined;
		const value: unknown = text === '' || isFile ? undefined : JSON.parse(text);
		return { ...received, bytes, body: value as T };
	}

	async get<T = ErrorBody>(path: string, headers?: Options['headers']) {
		return await this.send<T>('GET', path, { headers });
	}

	async patch<T = ErrorBody>(path: string, body: object, headers?: Options['headers']) {
		return await this.send<T>('PATCH', path, { body, headers });
	}

	/** Gets a file back, by its place in the container. */
	async decode(id: string, body: object = { file: 0 }) {
		return await this.send('POST', `/containers/${id}/decode`, { body });
	}

	async delete(path: string) {
		return await this.send('DELETE', path);
	}

	/** @throws for an error status */
	async expect<T>(method: string, path: string, options?: Options): Promise<T> {
		const { status, text, body } = await this.send<T>(method, path, options);
		if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
		return body;
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
		const [, path] = /<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(headers.link ?? '') ?? [];
		return path;
	}

	/** The same service with another key. */
	withKey(apiKey: string): Api {
		return new Api({ ...this.access, apiKey });
	}
}

export interface StoredContainer {
	uuid: string;
	name: string;
	created_date: string;
	url: string;
	file_count: number;
	files: Array<{ name: string; type: string; size: number; sha256: string }>;
}

interface NewContainer {
	name?: string;
	/** `drm` of the manifest. Rules can be changed unless it says otherwise. */
	rules?: IDataObject;
	/** The content of its file. */
	text?: string;
	/** In place of a text. */
	file?: File;
	files?: File[];
	password?: string;
}

/** The form that makes a container. */
export function createForm({ name = 'A container', rules, ...content }: NewContainer = {}) {
	const { text = 'x', password } = content;
	const { file = new File([text], 'file.txt', { type: 'text/plain' }), files = [file] } = content;
	const form = new FormData();
	const container = { name, password, drm: { dynamic: true, ...rules } };
	const manifest = JSON.stringify({ container });
	form.set('manifest.json', new Blob([manifest], { type: 'application/json' }));
	for (const one of files) form.append('file', one);
	return form;
}

/** What tools and tests prepare in the service, and look up in it, as one of its users. */
export function connectService({ userId, ...access }: Access & { userId: string }) {
	const api = new Api(access);
	const user = `/users/${userId}`;
	const toContact = (email: unknown) => `${user}/contacts/${encodeURIComponent(String(email))}`;
	const toRules = (id: string) => `/containers/${id}/drm`;
	const remove = async (path: string) => await api.expect('DELETE', path);
	const listIds = async () => {
		const containers = await api.getAll<StoredContainer>(`${user}/containers?limit=1000`);
		return containers.map(({ uuid }) => uuid);
	};
	const getContainer = async (id: string) =>
		await api.expect<StoredContainer>('GET', `/containers/${id}`);
	const getEvents = async (action: string) => {
		const events = await api.getAll<IDataObject>(`${user}/events?limit=1000`);
		return events.filter((event) => event.action === action);
	};
	const getContacts = async () => await api.getAll<IDataObject>(`${user}/contacts?limit=1000`);
	const getRequests = async () => await api.getAll<IDataObject>(`${user}/requests?limit=1000`);
	return {
		/** @returns its ID */
		addContainer: async (container?: NewContainer) => {
			const options = { body: createForm(container) };
			const path = `${user}/containers/encode`;
			const created = await api.expect<{ container: StoredContainer }>('POST', path, options);
			return created.container.uuid;
		},
		/** @returns its ID */
		addRequest: async (name: string, senders: string[]) => {
			const more = { message: 'Please.', time: { end: '2999-12-31' } };
			const options = { body: { name, senders, ...more } };
			const created = await api.expect<IDataObject>('POST', `${user}/requests`, options);
			return String(created.uuid);
		},
		addContact: async (email: string, body: IDataObject = {}) =>
			await api.expect<IDataObject>('PATCH', toContact(email), { body }),
		/** With their files, oldest first. */
		getContainers: async () => await Promise.all((await listIds()).map(getContainer)),
		getContacts,
		/** With this action, oldest first. */
		getEvents,
		getRules: async (id: string) => await api.expect<IDataObject>('GET', toRules(id)),
		setRules: async (id: string, body: IDataObject) =>
			await api.expect<IDataObject>('PATCH', toRules(id), { body }),
		deleteContainer: async (id: string) => await remove(`/containers/${id}`),
		deleteContact: async (email: string) => await remove(toContact(email)),
		getRequests,
		/** Deletes all containers, contacts and requests for files. */
		deleteAll: async () => {
			const containers = (await listIds()).map((id) => `/containers/${id}`);
			const requests = (await getRequests()).map(({ uuid }) => `/requests/${String(uuid)}`);
			const contacts = (await getContacts()).map(({ email }) => toContact(email));
			await Promise.all([...containers, ...contacts, ...requests].map(remove));
		},
		close: async () => await api.dispatcher.close(),
	};
}
