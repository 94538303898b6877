import type { IDataObject } from 'n8n-workflow';
import { Agent, FormData, request } from 'undici';

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
}

interface Access {
	baseUrl: string;
	apiKey: string;
	userId: string;
	/** PEM of the authority to trust. */
	ca: string;
}

/** What tools and tests prepare in the service, and look up in it, as its first user. */
export function connectService(access: Access) {
	const client = createClient(access);
	const user = `/users/${access.userId}`;
	const contactPath = (email: unknown) => `${user}/contacts/${encodeURIComponent(String(email))}`;
	const listContainers = async () => await client.list<StoredContainer>(`${user}/containers`);
	const getContacts = async () => await client.list<IDataObject>(`${user}/contacts`);
	return {
		/** @returns its ID */
		addContainer: async ({ name = 'A container', rules, text = 'x' }: NewContainer = {}) => {
			const body = new FormData();
			const manifest = JSON.stringify({ container: { name, drm: { dynamic: true, ...rules } } });
			body.set('manifest.json', new Blob([manifest], { type: 'application/json' }));
			body.set('file', new Blob([text], { type: 'text/plain' }), 'file.txt');
			const path = `${user}/containers/encode`;
			const created = await client.call<{ container: StoredContainer }>('POST', path, { body });
			return created.container.uuid;
		},
		addContact: async (email: string, json: IDataObject = {}) =>
			await client.call<IDataObject>('PATCH', contactPath(email), { json }),
		/** With their files, oldest first. */
		getContainers: async () =>
			await Promise.all(
				(await listContainers()).map(
					async ({ uuid }) => await client.call<StoredContainer>('GET', `/containers/${uuid}`),
				),
			),
		getContacts,
		getRules: async (id: string) => await client.call<IDataObject>('GET', `/containers/${id}/drm`),
		setRules: async (id: string, json: IDataObject) =>
			await client.call<IDataObject>('PATCH', `/containers/${id}/drm`, { json }),
		deleteContainer: async (id: string) => await client.call('DELETE', `/containers/${id}`),
		deleteContact: async (email: string) => await client.call('DELETE', contactPath(email)),
		/** Deletes all containers and contacts. */
		deleteAll: async () => {
			const containers = (await listContainers()).map(({ uuid }) => `/containers/${uuid}`);
			const contacts = (await getContacts()).map(({ email }) => contactPath(email));
			await Promise.all(
				[...containers, ...contacts].map(async (path) => await client.call('DELETE', path)),
			);
		},
		close: async () => await client.close(),
	};
}

interface Body {
	json?: IDataObject;
	body?: FormData;
}

/** Calls the API. @throws for an error status */
function createClient({ baseUrl, apiKey, ca }: Access) {
	// Without a limit, thousands of requests at once connect at once, and some of them too late.
	const dispatcher = new Agent({ connect: { ca }, connections: 16 });
	const authorization = `Bearer ${apiKey}`;
	const send = async (method: string, url: string, { json, body }: Body = {}) => {
		const response = await request(url, {
			method: method as 'GET',
			headers: { authorization, ...(json && { 'content-type': 'application/json' }) },
			body: body ?? (json && JSON.stringify(json)),
			dispatcher,
		});
		const text = await response.body.text();
		if (response.statusCode >= 400) throw new Error(`${method} ${url}: ${text}`);
		return { text, link: String(response.headers.link ?? '') };
	};
	const readPages = async <T,>(path: string): Promise<T[]> => {
		const { text, link } = await send('GET', baseUrl + path);
		const [, next] = /<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(link) ?? [];
		const page = JSON.parse(text) as T[];
		return next === undefined ? page : [...page, ...(await readPages<T>(next))];
	};
	return {
		call: async <T = unknown,>(method: string, path: string, body?: Body): Promise<T> => {
			const { text } = await send(method, baseUrl + path, body);
			return (text === '' ? undefined : JSON.parse(text)) as T;
		},
		/** All pages of a list. */
		list: async <T,>(path: string) => await readPages<T>(`${path}?limit=1000`),
		close: async () => await dispatcher.close(),
	};
}
