import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A drive that speaks WebDAV over HTTP, as Nextcloud does, with its files in memory. */
export interface Drive {
	/** For the field Web DAV URL of n8n's Nextcloud credential. */
	webDavUrl: string;
	user: string;
	password: string;
	/** Contents by path, without a slash at the start. */
	files: Map<string, Buffer>;
	/** Paths of files that it does not hand out. */
	locked: Set<string>;
	/** Method and path of each request, decoded. */
	requests: string[];
	stop(): Promise<void>;
}

/** The path that Nextcloud has, on whose length n8n's node relies. */
const ROOT = '/remote.php/webdav/';
const CREDENTIALS = { user: 'olivia', password: 'drive-password' };

/** Starts a drive on a free port; what WebDAV has beyond listing, reading and moving is refused (RFC 4918). */
export async function startDrive(): Promise<Drive> {
	const files = new Map<string, Buffer>();
	const locked = new Set<string>();
	const requests: string[] = [];
	const server = createServer((request, response) => {
		const path = pathOf(request.url ?? '');
		requests.push(`${request.method} ${path}`);
		const isLocked = request.method === 'GET' && locked.has(path);
		const { status, type, body } = isLocked ? { status: 423 } : answer(request, path, files);
		send(response, status, type, body);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		webDavUrl: `http://localhost:${port}${ROOT.slice(0, -1)}`,
		...CREDENTIALS,
		files,
		locked,
		requests,
		async stop() {
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
}

interface Answer {
	status: number;
	type?: string;
	body?: string | Buffer;
}

function answer(request: IncomingMessage, path: string, files: Map<string, Buffer>): Answer {
	const wanted = Buffer.from(`${CREDENTIALS.user}:${CREDENTIALS.password}`).toString('base64');
	if (request.headers.authorization !== `Basic ${wanted}`) return { status: 401 };
	const content = files.get(path);
	switch (request.method) {
		case 'PROPFIND':
			return { status: 207, type: 'application/xml', body: listing(path, files) };
		case 'GET':
			if (content === undefined) return { status: 404 };
			return { status: 200, type: 'application/octet-stream', body: content };
		case 'MOVE':
			if (content === undefined) return { status: 404 };
			files.delete(path);
			files.set(pathOf(new URL(String(request.headers.destination)).pathname), content);
			return { status: 201 };
		default:
			return { status: 405 };
	}
}

function listing(folder: string, files: Map<string, Buffer>): string {
	const inside = [...files].filter(([path]) => path.startsWith(`${folder}/`));
	const names = new Set(inside.map(([path]) => path.slice(folder.length + 1).split('/')[0]));
	const entries = [...names].map((name) =>
		entry(`${folder}/${name}`, files.get(`${folder}/${name}`)),
	);
	return `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${[entry(folder), ...entries].join('')}</d:multistatus>`;
}

function entry(path: string, content?: Buffer): string {
	const href = encodeURI(`${ROOT}${path}${content === undefined ? '/' : ''}`);
	const kind =
		content === undefined
			? '<d:resourcetype><d:collection/></d:resourcetype>'
			: '<d:resourcetype/>';
	const length =
		content === undefined ? '' : `<d:getcontentlength>${content.length}</d:getcontentlength>`;
	return `<d:response><d:href>${href}</d:href><d:propstat><d:prop><d:getlastmodified>Tue, 10 Nov 2026 08:00:00 GMT</d:getlastmodified>${kind}${length}<d:getetag>"1"</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
}

function pathOf(url: string): string {
	return decodeURIComponent(new URL(url, 'http://drive').pathname.slice(ROOT.length)).replace(
		/^\/+|\/+$/g,
		'',
	);
}

function send(
	response: ServerResponse,
	status: number,
	type?: string,
	body?: string | Buffer,
): void {
	response.writeHead(status, type === undefined ? {} : { 'content-type': type });
	response.end(body);
}
