import { Agent, type Dispatcher } from 'undici';
import type { SandboxAddress } from '../../../sandbox/client.cts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/index.cts';

interface Call {
	body?: unknown;
	headers?: Record<string, string>;
	/** In place of the default user's key. */
	apiKey?: string;
}

export interface Part {
	/** The header lines of the part. */
	head: string;
	content: string | Buffer;
}

const BOUNDARY = 'boundary-of-the-tests';

export const manifestPart = (manifest: unknown): Part => ({
	head: 'Content-Disposition: form-data; name="manifest.json"; filename="manifest.json"\r\nContent-Type: application/json',
	content: typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
});

export const filePart = (content: string | Buffer, filename = 'a.txt', name = 'file'): Part => ({
	head: `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: text/plain`,
	content,
});

/** A client of one sandbox. It sends everything unchanged, paths too. */
export function createApi(sandbox: SandboxAddress) {
	const agent = new Agent({ connect: { ca: sandbox.ca } });
	const send = async (
		method: Dispatcher.HttpMethod,
		path: string,
		{ body, headers, apiKey = sandbox.apiKey }: Call = {},
	) => {
		const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
		const response = await agent.request({
			origin: sandbox.origin,
			path,
			method,
			headersTimeout: 2000,
			headers: {
				authorization: `Bearer ${apiKey}`,
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
				...headers,
			},
			body: isRaw ? (body as string) : JSON.stringify(body),
		});
		const text = await response.body.text();
		const isJson = response.headers['content-type']?.includes('json') && text.endsWith('}');
		return {
			status: response.statusCode,
			headers: response.headers,
			text,
			json: (isJson || /^\[.*\]$/.test(text) ? JSON.parse(text) : undefined) as unknown,
		};
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
