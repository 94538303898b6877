import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import multer from 'multer';

// Each app is the service in little, on one stack: it parses forms with that stack's own parser, and responds with what
// it understood. It listens on 127.0.0.1 at PORT, and adds a line with method and path to the file REQUESTS.

interface ParsedFile {
	fieldname: string;
	originalname: string;
	mimetype: string;
	buffer: Buffer;
}

const parse = multer({ storage: multer.memoryStorage() }).any();

async function encode(request: IncomingMessage, response: ServerResponse) {
	await new Promise<void>((resolve, reject) => {
		const next = (error?: unknown) => (error === undefined ? resolve() : reject(error as Error));
		parse(request as never, response as never, next);
	});
	const { files } = request as unknown as { files: ParsedFile[] };
	const manifest = String(files.find(({ fieldname }) => fieldname === 'manifest.json')?.buffer);
	const { name } = (JSON.parse(manifest) as { container: { name: string } }).container;
	if (name === 'Refused') return [422, { error: { message: 'The container was refused' } }];
	const received = files
		.filter(({ fieldname }) => fieldname === 'file')
		.map(({ originalname, mimetype, buffer }) => ({
			name: originalname,
			type: mimetype,
			size: buffer.length,
			sha256: createHash('sha256').update(buffer).digest('hex'),
		}));
	return [201, { container: { uuid: 'c-1', name }, received: { manifest, files: received } }];
}

async function respond(request: IncomingMessage, response: ServerResponse) {
	const path = decodeURIComponent(String(request.url).slice('/api/v1'.length));
	appendFileSync(String(process.env.REQUESTS), `${request.method} ${path}\n`);
	if (request.method === 'POST') return await encode(request, response);
	const body = JSON.parse(await text(request)) as object;
	return [200, { email: path.split('/').at(-1), ...body }];
}

createServer((request, response) => {
	void respond(request, response)
		.catch((error: unknown) => [400, { error: { message: String(error) } }])
		.then(([status, body]) => {
			response.writeHead(status as number, { 'Content-Type': 'application/json' });
			response.end(JSON.stringify(body));
		});
}).listen(Number(process.env.PORT), '127.0.0.1');
