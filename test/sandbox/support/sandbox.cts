import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/index.cts';

interface Reply {
	status: number;
	headers: IncomingHttpHeaders;
	text: string;
	/** The body, where it is JSON. */
	json?: unknown;
}

interface Call {
	body?: unknown;
	headers?: Record<string, string>;
	/** In place of the default user's key; null sends none. */
	apiKey?: string | null;
}

export interface Part {
	/** The header lines of the part. */
	head: string;
	content: string | Buffer;
}

const BOUNDARY = 'boundary-of-the-tests';

export function manifestPart(manifest: unknown, name = 'manifest.json'): Part {
	return {
		head: `Content-Disposition: form-data; name="${name}"; filename="manifest.json"\r\nContent-Type: application/json`,
		content: typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
	};
}

export function filePart(content: string | Buffer, filename = 'a.txt', name = 'file'): Part {
	return {
		head: `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: text/plain`,
		content,
	};
}

/** A manifest with only a name. */
export const NAMED = manifestPart({ container: { name: 'Invoice' } });

/** A client of one sandbox. It sends everything unchanged, paths too. */
function createApi(sandbox: Sandbox) {
	const agent = new Agent({ connect: { ca: sandbox.ca } });
	const send = async (
		method: Dispatcher.HttpMethod,
		path: string,
		{ body, headers, apiKey = sandbox.apiKey }: Call = {},
	): Promise<Reply> => {
		const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
		const response = await agent.request({
			origin: sandbox.origin,
			path,
			method,
			headersTimeout: 2000,
			headers: {
				...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
				...headers,
			},
			...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
		});
		const { statusCode: status, headers: received } = response;
		const text = await response.body.text();
		try {
			return { status, headers: received, text, json: JSON.parse(text) };
		} catch {
			return { status, headers: received, text };
		}
	};
	const call = async (method: Dispatcher.HttpMethod, path: string, options?: Call) =>
		await send(method, `/api/v1${path}`, options);
	/** A path below /users/{id of the default user} */
	const mine = (path: string) => `/users/${sandbox.user.id}${path}`;
	return {
		send,
		call,
		mine,
		/** Sends `encodeFiles` with these parts. */
		encode: async (...parts: Part[]) =>
			await call('POST', mine('/containers/encode'), {
				headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
				body: Buffer.concat([
					...parts.flatMap(({ head, content }) => [
						Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n`),
						Buffer.from(content as string),
						Buffer.from('\r\n'),
					]),
					Buffer.from(`--${BOUNDARY}--\r\n`),
				]),
			}),
		close: async () => await agent.destroy(),
	};
}

/** Starts one sandbox for the tests of a file and resets it before each test. `stop` fails for its own mistakes. */
export function useSandbox(options: SandboxOptions = {}) {
	const running = {} as { sandbox: Sandbox; api: ReturnType<typeof createApi> };
	beforeAll(async () => {
		running.sandbox = await startSandbox(options);
		running.api = createApi(running.sandbox);
	});
	beforeEach(() => running.sandbox.reset());
	afterAll(async () => {
		await running.api.close();
		await running.sandbox.stop();
	});
	return running;
}
