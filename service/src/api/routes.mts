import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import type { Vault } from '../containers/vault.mts';
import type { Contract } from '../contract.mts';
import { assertValid, notFound, ServiceError } from '../errors.mts';
import { authenticate } from './access.mts';
import { createContactHandlers } from './contacts.mts';
import { createContainerHandlers } from './containers.mts';
import { createDrmHandlers } from './drm.mts';
import { createEventHandlers } from './events.mts';
import type { HandlerOptions, Handlers } from './handlers.mts';
import { createMeHandlers } from './me.mts';

export interface ApiOptions {
	vault: Vault;
	contract: Contract;
	/** Where the service is, without the path. */
	publicUrl: string;
	requestsPerMinute: number;
	maxUploadBytes: number;
}

const JSON_BYTES = 4 * 1024 * 1024;

/** Registers all operations of docs/openapi.yaml. */
export async function registerApi(app: FastifyInstance, options: ApiOptions): Promise<void> {
	const { vault, contract, publicUrl, requestsPerMinute, maxUploadBytes } = options;
	const { checkManifest } = contract;
	const handlerOptions: HandlerOptions = {
		vault,
		publicUrl,
		encodeOptions: { checkManifest, publicUrl, maxBytes: maxUploadBytes },
	};
	app.addHook('onRequest', async (request) => {
		request.user = await authenticate(vault.database, request);
		// A path such as /users//containers matches, too.
		if (Object.values(request.params as object).includes('')) throw notFound('path');
	});
	await app.register(rateLimit, {
		max: requestsPerMinute,
		timeWindow: '1 minute',
		keyGenerator: (request) => request.user.key_id,
		errorResponseBuilder: (_request, { max, ttl }) =>
			new ServiceError(429, 'too_many_requests', `At most ${max} requests a minute are possible.`, {
				retryAfter: Math.ceil(ttl / 1000),
			}),
	});
	// The form is parsed while it arrives.
	app.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body));

	const handlers: Handlers = {
		...createMeHandlers(),
		...createContainerHandlers(handlerOptions),
		...createDrmHandlers(handlerOptions),
		...createContactHandlers(handlerOptions),
		...createEventHandlers(handlerOptions),
	};
	for (const [operationId, { method, url, checkQuery, checkBody }] of contract.operations) {
		const handler = handlers[operationId];
		app.route({
			method,
			url,
			bodyLimit: JSON_BYTES,
			preHandler: async ({ query, body }) => {
				assertValid(checkQuery(query));
				if (checkBody !== undefined) assertValid(checkBody(body ?? null));
			},
			handler: async (request, reply) => await handler(request, reply),
		});
	}
}
