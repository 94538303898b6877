import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Sent {
	name: string;
	content: Buffer;
}

/** Answers as Gotenberg does. */
export async function startGotenberg(pdf: Buffer) {
	const converted: Sent[] = [];
	let status = 200;
	let answer = pdf;
	const server = createServer(async (request, response) => {
		if (request.url === '/health') return response.writeHead(status).end();
		if (request.url !== '/forms/libreoffice/convert') return response.writeHead(404).end();
		converted.push(await readFile(request));
		return response.writeHead(status).end(status === 200 ? answer : 'It failed');
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		/** What it got, in its order. */
		converted,
		answerWith(changed: number, body = pdf) {
			status = changed;
			answer = body;
		},
		async close() {
			server.closeAllConnections();
			await once(server.close(), 'close');
		},
	};
}

/** The one field `files` of a form. */
async function readFile(request: IncomingMessage): Promise<Sent> {
	const headers = { 'content-type': request.headers['content-type']! };
	const form = await new Response(new Uint8Array(await buffer(request)), { headers }).formData();
	const file = form.get('files') as File;
	return { name: file.name, content: Buffer.from(await file.arrayBuffer()) };
}
