import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { Agent, FormData, request } from 'undici';
import { createCertificate } from '../../tools/certificate.cts';
import { trustCertificateAuthority } from '../../tools/engine/trust.cts';
import { getFreePort } from '../../tools/processes.cts';
import { startService } from '../../tools/service.cts';
import { startProxy } from './proxy.cts';

export interface StoredContainer {
	uuid: string;
	name: string;
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

interface Options {
	/** Those of service/README.md. */
	settings?: Record<string, string>;
	/** Where it stores its data until `stop`; a temporary folder by default. */
	folder?: string;
}

export type TestService = Awaited<ReturnType<typeof startTestService>>;

/** No test meets a limit of the service unless it sets one. */
const SETTINGS = { LOG_LEVEL: 'error', REQUESTS_PER_MINUTE: '1000000' };

/** Starts the built service behind a proxy, and a client for what tests prepare and look up, which bypasses the proxy. */
export async function startTestService({ settings = {}, ...given }: Options = {}) {
	const folder = given.folder ?? (await mkdtemp(join(tmpdir(), 'service-test-')));
	await mkdir(folder, { recursive: true });
	const certificate = await createCertificate();
	const files = { ca: 'ca.pem', cert: 'cert.pem', key: 'key.pem' } as const;
	const paths = { ca: '', cert: '', key: '' };
	for (const name of ['ca', 'cert', 'key'] as const) {
		paths[name] = join(folder, files[name]);
		await writeFile(paths[name], certificate[name]);
	}
	const port = await getFreePort();
	const proxy = await startProxy({ ...certificate, port });
	const { apiKey, userId, restart, stop } = await startService(folder, {
		...SETTINGS,
		...{ PORT: String(port), PUBLIC_URL: proxy.origin },
		...{ TLS_CERT: paths.cert, TLS_KEY: paths.key, ...settings },
	});
	const { ca } = certificate;
	const call = createClient({ baseUrl: `https://localhost:${port}/api/v1`, apiKey, ca });
	const user = `/users/${userId}`;

	const listAll = async <T,>(path: string): Promise<T[]> => await call.all<T>(`${user}${path}`);
	const addContainer = async ({ name = 'A container', rules, text = 'x' }: NewContainer = {}) => {
		const form = new FormData();
		const container = { name, drm: { dynamic: true, ...rules } };
		const manifest = JSON.stringify({ container });
		form.set('manifest.json', new Blob([manifest], { type: 'application/json' }));
		form.set('file', new Blob([text], { type: 'text/plain' }), 'file.txt');
		const created = await call<{ container: StoredContainer }>(
			'POST',
			`${user}/containers/encode`,
			{
				body: form,
			},
		);
		return created.container.uuid;
	};
	const addContact = async (email: string, fields: IDataObject = {}) =>
		await call('PATCH', `${user}/contacts/${encodeURIComponent(email)}`, { json: fields });
	const getContainers = async () => {
		const list = await listAll<StoredContainer>('/containers?limit=1000');
		return await Promise.all(
			list.map(async ({ uuid }) => await call<StoredContainer>('GET', `/containers/${uuid}`)),
		);
	};
	const getContacts = async () => await listAll<IDataObject>('/contacts?limit=1000');
	return {
		/** Through the proxy. */
		baseUrl: `${proxy.origin}/api/v1`,
		origin: proxy.origin,
		apiKey,
		userId,
		ca,
		/** PEM file of the authority, for NODE_EXTRA_CA_CERTS. */
		caPath: paths.ca,
		paths,
		/** The port of the service itself. */
		port,
		credentials: { baseUrl: `${proxy.origin}/api/v1`, apiKey },
		requests: proxy.requests,
		on: proxy.on,
		call,
		/** @returns its ID */
		addContainer,
		addContact,
		/** With their files. */
		getContainers,
		getContacts,
		getRules: async (id: string) => await call<IDataObject>('GET', `/containers/${id}/drm`),
		setRules: async (id: string, rules: IDataObject) =>
			await call<IDataObject>('PATCH', `/containers/${id}/drm`, { json: rules }),
		restart,
		/** Deletes all containers and contacts, and forgets the requests and handlers of the proxy. */
		clear: async () => {
			proxy.clear();
			const containers = await listAll<StoredContainer>('/containers?limit=1000');
			const contacts = await getContacts();
			await Promise.all([
				...containers.map(async ({ uuid }) => await call('DELETE', `/containers/${uuid}`)),
				...contacts.map(
					async ({ email }) =>
						await call('DELETE', `${user}/contacts/${encodeURIComponent(String(email))}`),
				),
			]);
		},
		stop: async () => {
			await proxy.stop();
			await call.close();
			await stop();
			if (given.folder === undefined) await rm(folder, { recursive: true, force: true });
		},
	};
}

/** A service for the tests of a file, which this process trusts. It is empty at the start of each test. */
export function useService(settings?: Record<string, string>): TestService {
	const service = {} as TestService;
	let untrust = () => {};
	beforeAll(async () => {
		Object.assign(service, await startTestService({ settings }));
		untrust = trustCertificateAuthority(service.ca);
	}, 60_000);
	beforeEach(async () => await service.clear());
	afterAll(async () => {
		untrust();
		await service.stop();
	});
	return service;
}

interface Body {
	json?: IDataObject;
	body?: FormData;
}

/** Calls the API. @throws for an error status */
function createClient({ baseUrl, apiKey, ca }: { baseUrl: string; apiKey: string; ca: string }) {
	const dispatcher = new Agent({ connect: { ca } });
	const headers = { authorization: `Bearer ${apiKey}` };
	const send = async (method: string, url: string, { json, body }: Body = {}) => {
		const response = await request(url, {
			method: method as 'GET',
			headers: { ...headers, ...(json && { 'content-type': 'application/json' }) },
			body: body ?? (json && JSON.stringify(json)),
			dispatcher,
		});
		const text = await response.body.text();
		if (response.statusCode >= 400) throw new Error(`${method} ${url}: ${text}`);
		return { text, link: String(response.headers.link ?? '') };
	};
	const call = async <T = unknown,>(method: string, path: string, body?: Body): Promise<T> => {
		const { text } = await send(method, baseUrl + path, body);
		return (text === '' ? undefined : JSON.parse(text)) as T;
	};
	/** All pages of a list. */
	const all = async <T,>(path: string): Promise<T[]> => {
		const { text, link } = await send('GET', baseUrl + path);
		const [, next] = /<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(link) ?? [];
		const page = JSON.parse(text) as T[];
		return next === undefined ? page : [...page, ...(await all<T>(next))];
	};
	return Object.assign(call, { all, close: async () => await dispatcher.close() });
}
