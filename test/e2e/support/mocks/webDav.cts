import fastify from 'fastify';

/** A WebDAV server such as Nextcloud, with its files in memory. */
export interface MockWebDav {
	/** For the field Web DAV URL of n8n's Nextcloud credential. */
	webDavUrl: string;
	user: string;
	password: string;
	/** Contents by path, without a slash at the start. */
	files: Map<string, Buffer>;
	/** Paths of files that can't be downloaded. */
	locked: Set<string>;
	/** The method and decoded path of each request. */
	requests: string[];
	stop(): Promise<void>;
}

/** Nextcloud's path, because n8n's node relies on its length. */
const ROOT = '/remote.php/webdav';
const CREDENTIALS = { user: 'olivia', password: 'drive-password' };
const AUTHORIZATION = `Basic ${btoa(`${CREDENTIALS.user}:${CREDENTIALS.password}`)}`;

/**
 * Starts a WebDAV server (RFC 4918) that can list, read and move.
 *
 * Not webdav-server, which has had no release since 2021, or nephele, which brings express.
 */
export async function startMockWebDav(): Promise<MockWebDav> {
	const files: MockWebDav['files'] = new Map();
	const locked = new Set<string>();
	const requests: string[] = [];
	const app = fastify({ forceCloseConnections: true });
	app.addHttpMethod('PROPFIND', { hasBody: true }).addHttpMethod('MOVE');
	app.addContentTypeParser('*', (_request, _payload, done) => done(null));
	app.addHook('onRequest', async ({ method, url, headers }, reply) => {
		requests.push(`${method} ${toPath(url)}`);
		if (headers.authorization !== AUTHORIZATION) await reply.code(401).send();
	});
	app.route({
		method: ['GET', 'PROPFIND', 'MOVE'],
		url: `${ROOT}/*`,
		exposeHeadRoute: false,
		async handler({ method, url, headers }, reply) {
			const path = toPath(url);
			if (method === 'PROPFIND') {
				return await reply.code(207).type('application/xml').send(toListing(path, files));
			}
			if (method === 'GET' && locked.has(path)) return await reply.code(423).send();
			const content = files.get(path);
			if (content === undefined) return await reply.code(404).send();
			if (method === 'GET') return await reply.type('application/octet-stream').send(content);
			files.delete(path);
			files.set(toPath(String(headers.destination)), content);
			return await reply.code(201).send();
		},
	});
	const address = await app.listen({ port: 0, host: '127.0.0.1' });
	return {
		webDavUrl: `http://localhost:${new URL(address).port}${ROOT}`,
		...CREDENTIALS,
		files,
		locked,
		requests,
		stop: async () => await app.close(),
	};
}

function toListing(folder: string, files: Map<string, Buffer>): string {
	const inFolder = [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
	const names = new Set(inFolder.map((path) => path.slice(folder.length + 1).split('/')[0]));
	const paths = [...names].map((name) => `${folder}/${name}`);
	const entries = paths.map((path) => toEntry(path, files.get(path)));
	return `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${[toEntry(folder), ...entries].join('')}</d:multistatus>`;
}

function toEntry(path: string, content?: Buffer): string {
	const isFolder = content === undefined;
	const href = encodeURI(`${ROOT}/${path}${isFolder ? '/' : ''}`);
	const properties = isFolder
		? '<d:resourcetype><d:collection/></d:resourcetype>'
		: `<d:resourcetype/><d:getcontentlength>${content.length}</d:getcontentlength>`;
	return `<d:response><d:href>${href}</d:href><d:propstat><d:prop><d:getlastmodified>${new Date().toUTCString()}</d:getlastmodified>${properties}<d:getetag>"1"</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
}

/** The path below the root, without slashes around it. */
function toPath(url: string): string {
	const { pathname } = new URL(url, 'http://localhost');
	return decodeURIComponent(pathname.slice(ROOT.length)).replace(/^\/+|\/+$/g, '');
}
