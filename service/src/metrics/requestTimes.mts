import type { FastifyInstance } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';

/** Counts what is answered by the template of its route: a path has IDs. */
export function watchRequests(registry: Registry, app: FastifyInstance): void {
	const answered = new Counter({
		name: 'ec_http_requests_total',
		help: 'Requests that were answered',
		labelNames: ['method', 'route', 'status'],
		registers: [registry],
	});
	const seconds = new Histogram({
		name: 'ec_http_request_seconds',
		help: 'From the first byte of a request to the last of the response: as long as a client waits, uploads or downloads',
		labelNames: ['method', 'route'],
		buckets: [0.01, 0.05, 0.2, 0.5, 1, 2, 5, 10, 60],
		registers: [registry],
	});
	app.addHook('onResponse', async ({ method, routeOptions }, reply) => {
		const { url: route = 'none' } = routeOptions;
		answered.inc({ method, route, status: reply.statusCode });
		seconds.observe({ method, route }, reply.elapsedTime / 1000);
	});
}
