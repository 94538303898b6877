import { Agent, FormData, type Dispatcher } from 'undici';
import type { SandboxAddress } from '../../../sandbox/client.cts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/index.cts';
import { parseJson } from '../../../sandbox/upload.cts';

interface Call {
	/** A form, text as it is, or a value as JSON. */
	body?: unknown;
	/** In place of the default user's key. */
	apiKey?: string;
}

export type Part = [name: string, content: Blob, filename: string] | [name: string, text: string];

export const manifestPart = (manifest: unknown): Part => [
	'manifest.json',
	new Blob([JSON.stringify(manifest)], { type: 'application/json' }),
	'manifest.json',
];

export const filePart = (content: string | Buffer, filename = 'a.txt', name = 'file'): Part => [
	name,
	new Blob([content], { type: 'text/plain' }),
	filename,
];

/** A client of one sandbox. It sends everything unchanged, paths too. */
export function createApi({ origin, ca, apiKey: ownKey, user }: SandboxAddress) {
	const agent = new Agent({ connect: { ca } });
	const send = async (
		method: Dispatcher.HttpMethod,
		path: string,
		{ body, apiKey = ownKey }: Call = {},
	) => {
		const isForm = body instanceof FormData;
		const type = body === undefined || isForm ? {} : { 'content-type': 'application/json' };
		const { statusCode, headers, ...response } = await agent.request({
			...{ origin, path, method, headersTimeout: 2000 },
			headers: { authorization: `Bearer ${apiKey}`, ...type },
			body: isForm || typeof body === 'string' ? body : JSON.stringify(body),
		});
		const text = await response.body.text();
		return { status: statusCode, headers, text, json: parseJson(text) };
	};
	const call = async (method: Dispatcher.HttpMethod, path: string, options?: Call) =>
		await send(method, `/api/v1${path}`, options);
	/** A path below /users/{id of the default user} */
	const mine = (path: string) => `/users/${user.id}${path}`;
	return {
		send,
		call,
		mine,
		/** Sends `encodeFiles` with these parts. */
		async encode(...parts: Part[]) {
			const body = new FormData();
			for (const part of parts) body.append(...(part as [string, Blob, string]));
			return await call('POST', mine('/containers/encode'), { body });
		},
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
