import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import fastify from 'fastify';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { controlRoutes, isControlPath } from './control.cts';
import { sendResponse } from './send.cts';
import type { Exchange } from './serve.cts';
import { admit, refuse, serve } from './serve.cts';
import { loadContract } from '../contract/contract.cts';
import type { OperationId } from '../contract/document.cts';
import { applyFault } from '../faults/applyFault.cts';
import { invalid, notFound } from '../service/errors.cts';
import { portalPage } from '../service/response.cts';
import type { Service } from '../service/service.cts';

declare module 'fastify' {
	interface FastifyContextConfig {
		operationId?: OperationId;
	}
}

const neverNeeded = (): never => {
	throw new Error('No route of the sandbox has a schema');
};

/** The contract checks requests once their bodies are parsed. Fastify parses none, so it needs no schemas. */
const noSchemas = { buildValidator: neverNeeded, buildSerializer: neverNeeded };

/** At least as long as the request line that Node accepts. */
const MAX_PARAMETER_LENGTH = 16 * 1024;

/**
 * Creates the web application: the API below its base path, the control interface, the portal everywhere else.
 *
 * @param createServer creates the HTTPS server around the application's request handler
 */
export async function createApp(
	service: Service,
	createServer: (handler: RequestListener) => Server,
): Promise<FastifyInstance> {
	const exchanges = new WeakMap<IncomingMessage, Exchange>();
	const exchangeOf = (request: IncomingMessage) => exchanges.get(request) as Exchange;
	const app = fastify({
		logger: false,
		exposeHeadRoutes: false,
		schemaController: { compilersFactory: noSchemas },
		routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
		serverFactory: (handler) =>
			createServer((request, response) => {
				if (isControlPath(request.url)) return handler(request, response);
				const exchange = receive(service, request, response);
				if (exchange === undefined) return undefined;
				exchanges.set(request, exchange);
				return handler(request, response);
			}),
		frameworkErrors: (error, request, reply) => {
			reply.hijack();
			if (isControlPath(request.raw.url)) {
				const body = JSON.stringify({ message: error.message });
				reply.raw.writeHead(400, { 'content-type': 'application/json' }).end(body);
				return;
			}
			refuseMalformed(service, exchangeOf(request.raw));
		},
	});
	app.removeAllContentTypeParsers();
	app.register(async (scope) => controlRoutes(scope, service), { prefix: '/_sandbox' });
	app.register(async (scope) => apiRoutes(scope, service, exchangeOf), {
		prefix: service.basePath,
	});
	app.addContentTypeParser('*', (_request, _payload, done) => done(null));
	app.setNotFoundHandler((request, reply) => {
		reply.hijack();
		const exchange = exchangeOf(request.raw);
		if (service.settings.portal && request.method === 'GET') {
			sendResponse({ ...exchange, journal: service.journal }, portalPage());
		} else {
			refuse(service, exchange, notFound('There is nothing at this URL'));
		}
	});
	await app.ready();
	return app;
}

/** Records a request; @returns nothing when a fault breaks it on arrival */
function receive(
	service: Service,
	request: IncomingMessage,
	response: ServerResponse,
): Exchange | undefined {
	const record = service.journal.open(request, response);
	const exchange = { request, response, record };
	const planned = service.faults.take(record, 'arrival');
	if (planned === undefined) return exchange;
	applyFault(planned.fault, { ...service, ...exchange });
	return undefined;
}

async function apiRoutes(
	scope: FastifyInstance,
	service: Service,
	exchangeOf: (request: IncomingMessage) => Exchange,
): Promise<void> {
	scope.addHook('onRequest', (request, reply, done) => {
		const exchange = exchangeOf(request.raw);
		exchange.record.operationId = request.routeOptions.config.operationId;
		try {
			admit(service, exchange);
		} catch (error) {
			reply.hijack();
			refuse(service, exchange, error);
			return;
		}
		done();
	});
	for (const operation of loadContract().operations) {
		scope.route<{ Params: Record<string, string> }>({
			method: operation.method as HTTPMethods,
			url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
			config: { operationId: operation.operationId },
			handler: async (request, reply) => {
				reply.hijack();
				await serve(service, exchangeOf(request.raw), { operation, params: request.params });
			},
		});
	}
	scope.setNotFoundHandler(async (request, reply) => {
		reply.hijack();
		await serve(service, exchangeOf(request.raw), { params: {} });
	});
}

/** A path that can't be decoded: the key is checked first, as always. */
function refuseMalformed(service: Service, exchange: Exchange): void {
	try {
		if (exchange.record.path.startsWith(`${service.basePath}/`)) admit(service, exchange);
		throw invalid('The path is not encoded correctly');
	} catch (error) {
		refuse(service, exchange, error);
	}
}
