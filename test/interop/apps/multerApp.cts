import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import multer from 'multer';

// Each app is the service in little, on one stack: it parses forms with that stack's own parser, and responds with what
// it understood. It listens on 127.0.0.1 at PORT.

interface ParsedFile {
	fieldname: string;
	originalname: string;
	mimetype: string;
	buffer: Buffer;
}

const parse = promisify(multer({ storage: multer.memoryStorage() }).any());

async function respond(request: IncomingMessage): Promise<object> {
	if (request.method === 'PATCH') {
		const email = decodeURIComponent(String(request.url)).split('/').at(-1);
		return { email, ...(JSON.parse(await text(request)) as object) };
	}
	await parse(request as never, {} as never);
	const { files } = request as unknown as { files: ParsedFile[] };
	const received = files
		.filter(({ fieldname }) => fieldname === 'file')
		.map(({ originalname, mimetype, buffer }) => ({
			name: originalname,
			type: mimetype,
			size: buffer.length,
			sha256: createHash('sha256').update(buffer).digest('hex'),
		}));
	const manifest = String(files.find(({ fieldname }) => fieldname === 'manifest.json')?.buffer);
	return { container: { uuid: 'c-1' }, received: { manifest, files: received } };
}

createServer((request, response) => {
	response.setHeader('Content-Type', 'application/json');
	void respond(request)
		.catch((error: unknown) => ({ error: { message: String(error) } }))
		.then((body) => response.end(JSON.stringify(body)));
}).listen(Number(process.env.PORT), '127.0.0.1');
