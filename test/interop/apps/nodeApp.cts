import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** A file of a form, as the parser reports it. */
export interface ParsedFile {
	part: string;
	name: string | null;
	type: string | null;
	content: Buffer | string;
}

const container = { uuid: 'c-1', name: 'One' };

async function describe({ name, type, content }: ParsedFile): Promise<object> {
	const bytes = typeof content === 'string' ? await readFile(content) : content;
	return {
		name,
		type,
		size: bytes.length,
		sha256: createHash('sha256').update(bytes).digest('hex'),
	};
}

/**
 * Serves the requests with Node.js and one parser of forms.
 * @param parse returns all files of a form, with their content or the path of a file that holds it
 */
export function serve(
	parse: (request: IncomingMessage, response: ServerResponse) => Promise<ParsedFile[]>,
): void {
	const encode = async (request: IncomingMessage, response: ServerResponse) => {
		const files = await parse(request, response);
		const of = (part: string) => files.filter((file) => file.part === part);
		const [{ content }] = of('manifest.json');
		const manifest =
			typeof content === 'string' ? await readFile(content, 'utf8') : String(content);
		const { name } = (JSON.parse(manifest) as { container: { name: string } }).container;
		if (name === 'Refused') return [422, { error: { message: 'The container was refused' } }];
		const received = { manifest, files: await Promise.all(of('file').map(describe)) };
		return [201, { container: { uuid: 'c-1', name }, received }];
	};
	const respond = async (request: IncomingMessage, response: ServerResponse) => {
		const { method } = request;
		const path = decodeURIComponent(String(request.url).slice('/api/v1'.length));
		appendFileSync(String(process.env.REQUESTS), `${method} ${path}\n`);
		if (path === '/me') return [200, { id: 'u-1', email: 'owner@example.com' }];
		if (method === 'POST') return await encode(request, response);
		if (method === 'DELETE') return [204];
		if (method === 'PATCH') {
			const body = JSON.parse(await text(request)) as object;
			return [200, { email: path.split('/').at(-1), ...body }];
		}
		return [200, path === '/users/u-1/containers' ? [container] : container];
	};
	const server = createServer((request, response) => {
		void respond(request, response)
			.catch((error: unknown) => [400, { error: { message: String(error) } }])
			.then(([status, body]) => {
				response.writeHead(status as number, { 'Content-Type': 'application/json' });
				response.end(body === undefined ? undefined : JSON.stringify(body));
			});
	});
	server.listen(Number(process.env.PORT), '127.0.0.1');
}
