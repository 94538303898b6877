import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import type { Contract } from '../contract.mts';
import { assertValid, notFound, ServiceError } from '../errors.mts';
import { authenticate } from './access.mts';
import { createContactHandlers } from './contacts.mts';
import { createContainerHandlers } from './containers.mts';
import { createDrmHandlers } from './drm.mts';
import { createEventHandlers } from './events.mts';
import type { HandlerOptions, Handlers } from './handlers.mts';
import { getMe } from './me.mts';

interface ApiOptions extends HandlerOptions {
	operations: Contract['operations'];
	requestsPerMinute: number;
}

export const JSON_BYTES = 4 * 1024 * 1024;

/** Registers all operations of docs/openapi.yaml. */
export async function registerApi(app: FastifyInstance, options: ApiOptions): Promise<void> {
	const { vault, operations, requestsPerMinute } = options;
	app.addHook('onRequest', async (request) => {
		request.user = await authenticate(vault.database, request);
		const isInPath = (text: string) => text !== '' && !text.includes('\0');
		if (!Object.values(request.params as object).every(isInPath)) throw notFound('path');
	});
	app.setNotFoundHandler(() => {
		throw notFound('path');
	});
	await app.register(rateLimit, {
		max: requestsPerMinute,
		timeWindow: '1 minute',
		keyGenerator: ({ user }) => user.key_id,
		errorResponseBuilder: (_request, { max, ttl }) => {
			const retryAfter = Math.ceil(ttl / 1000);
			const message = `At most ${max} requests a minute are possible.`;
			return new ServiceError(429, 'too_many_requests', message, { retryAfter });
		},
	});
	// A form is parsed while it arrives.
	app.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body));
	const handlers: Handlers = {
		getMe,
		...createContainerHandlers(options),
		...createDrmHandlers(options),
		...createContactHandlers(options),
		...createEventHandlers(options),
	};
	for (const { operationId, method, url, checkQuery, checkBody } of operations) {
		const handle = handlers[operationId];
		const preHandler = async ({ query, body }: { query: unknown; body: unknown }) => {
			assertValid(checkQuery(query));
			if (checkBody) assertValid(checkBody(body ?? null));
		};
		const handler: Handlers[string] = async (request, reply) => await handle(request, reply);
		app.route({ method, url, bodyLimit: JSON_BYTES, preHandler, handler });
	}
}
