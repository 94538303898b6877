import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PartCheck } from './partCheck.mts';

declare module 'fastify' {
	interface FastifyContextConfig {
		/** Asked every few seconds by what runs the service: also without HTTPS, and not logged. */
		isProbe?: boolean;
	}
}

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
/** A proxy on this machine adds one of them, but who asks can be anywhere. */
const OF_PROXIES = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/** `/healthz`: the process lives. `/readyz`: it can do its work. Neither is part of the API. */
export function registerHealth(app: FastifyInstance, check: PartCheck): void {
	// Monitors ask with HEAD, too: the status is enough for them.
	const options = { config: { isProbe: true }, exposeHeadRoute: true };
	const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };
	app.get(
		'/healthz',
		options,
		async (_request, reply) => await reply.headers(headers).send('ok\n'),
	);
	app.get('/readyz', options, async (request, reply) => {
		const states = await check.read();
		const isReady = states.every(({ failure }) => failure === undefined);
		const lines = [isReady ? 'ready' : 'not ready'];
		if (isFromHere(request)) {
			lines.push(...states.map(({ part, failure = 'ok' }) => `${part}: ${failure}`));
		}
		void reply.code(isReady ? 200 : 503).headers(headers);
		return lines.map((line) => `${line}\n`).join('');
	});
}

/** Only who runs the service learns which part fails. */
function isFromHere({ socket, headers }: FastifyRequest): boolean {
	const isForwarded = OF_PROXIES.some((name) => headers[name] !== undefined);
	return LOOPBACK.test(socket.remoteAddress ?? '') && !isForwarded;
}
