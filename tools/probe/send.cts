import { Agent, EnvHttpProxyAgent, RetryAgent } from 'undici';
import type { ApiCredentials } from '../engine/credentials.cts';
import type { Exchange } from './recorder.cts';

/** Sends a request without the node, again if the service is busy or the connection breaks. */
export type Send = (
	method: 'GET' | 'PATCH' | 'DELETE',
	/** Below the base URL, or an absolute URL. */
	path: string,
	json?: object,
) => Promise<Exchange>;

const RETRY = {
	methods: ['GET', 'PATCH', 'DELETE'] as const,
	maxRetries: 4,
	maxTimeout: 65_000,
};

/** @returns a sender with the proxy and the certificates of n8n (environment variables); `close` ends its connections */
export function createSender({ baseUrl, apiKey }: ApiCredentials): {
	send: Send;
	close(): Promise<void>;
} {
	const timeouts = { headersTimeout: 30_000, bodyTimeout: 30_000 };
	const hasProxy = Object.keys(process.env).some((name) => /^https?_proxy$/i.test(name));
	const agent = hasProxy ? new EnvHttpProxyAgent(timeouts) : new Agent(timeouts);
	const retrying = new RetryAgent(agent, { ...RETRY, methods: [...RETRY.methods] });
	return {
		close: async () => await agent.destroy(),
		async send(method, path, json) {
			const url = path.startsWith('/') ? new URL(`${baseUrl}${path}`) : new URL(path);
			if (url.origin !== new URL(baseUrl).origin) throw new Error(`a link leads to ${url.origin}`);
			const { statusCode, headers, body } = await retrying.request({
				origin: url.origin,
				path: url.pathname + url.search,
				method,
				headers: {
					authorization: `Bearer ${apiKey}`,
					...(json === undefined ? {} : { 'content-type': 'application/json' }),
				},
				...(json === undefined ? {} : { body: JSON.stringify(json) }),
			});
			const text = await body.text();
			const entries = Object.entries(headers).map(([name, value]) => [name, String(value)]);
			const sent = { method, path: url.pathname + url.search };
			return { ...sent, status: statusCode, headers: Object.fromEntries(entries), text };
		},
	};
}
