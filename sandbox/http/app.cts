import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { controlRoutes, isControlPath } from './control.cts';
import { endAnswer } from './send.cts';
import type { Visit } from './serve.cts';
import { admit, refuse, serve } from './serve.cts';
import { performFault } from '../faults/perform.cts';
import { endpoints } from '../routes/all.cts';
import { portalPage } from '../service/answer.cts';
import type { Endpoint } from '../service/context.cts';
import { invalid, notFound } from '../service/errors.cts';
import type { Service } from '../service/service.cts';
import type { EndpointName } from '../settings.cts';

declare module 'fastify' {
	interface FastifyContextConfig {
		endpoint?: EndpointName;
	}
}

const neverNeeded = (): never => {
	throw new Error('No route of the sandbox has a schema');
};

/** Checks and answers are the sandbox's own: the schema compilers, the slowest part of a start, are not loaded. */
const noSchemas = { buildValidator: neverNeeded, buildSerializer: neverNeeded };

/** Longest path parameter: no shorter than what Node takes as a request line. */
const MAX_PARAMETER_LENGTH = 16 * 1024;

/**
 * Makes the web application: the API below its base path, the control interface, the portal everywhere else.
 *
 * @param makeServer makes the HTTPS server around the application's request handler
 */
export async function makeApp(
	service: Service,
	makeServer: (handler: RequestListener) => Server,
): Promise<FastifyInstance> {
	const visits = new WeakMap<IncomingMessage, Visit>();
	const visitOf = (request: IncomingMessage) => visits.get(request) as Visit;
	const app = fastify({
		logger: false,
		exposeHeadRoutes: false,
		schemaController: { compilersFactory: noSchemas },
		routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
		serverFactory: (handler) =>
			makeServer((request, response) => {
				if (isControlPath(request.url)) return handler(request, response);
				const visit = receive(service, request, response);
				if (visit === undefined) return undefined;
				visits.set(request, visit);
				return handler(request, response);
			}),
		frameworkErrors: (_error, request, reply) => {
			reply.hijack();
			refuseMalformed(service, visitOf(request.raw));
		},
	});
	app.removeAllContentTypeParsers();
	app.register(async (scope) => controlRoutes(scope, service), { prefix: '/_sandbox' });
	app.register(async (scope) => apiRoutes(scope, service, visitOf), { prefix: service.basePath });
	app.addContentTypeParser('*', (_request, _payload, done) => done(null));
	app.setNotFoundHandler((request, reply) => {
		reply.hijack();
		const visit = visitOf(request.raw);
		if (service.settings.portal && request.method === 'GET') {
			endAnswer({ ...visit, journal: service.journal }, portalPage());
		} else {
			refuse(service, visit, notFound('There is nothing at this address'));
		}
	});
	await app.ready();
	return app;
}

/** Notes a request; @returns its visit, or nothing when a fault has met it on arrival */
function receive(
	service: Service,
	request: IncomingMessage,
	response: ServerResponse,
): Visit | undefined {
	const record = service.journal.open(request, response);
	const visit = { request, response, record };
	const planned = service.faults.take(record, 'arrival');
	if (planned === undefined) return visit;
	performFault(planned.fault, { ...service, ...visit });
	return undefined;
}

async function apiRoutes(
	scope: FastifyInstance,
	service: Service,
	visitOf: (request: IncomingMessage) => Visit,
): Promise<void> {
	scope.addHook('onRequest', (request, reply, done) => {
		const visit = visitOf(request.raw);
		visit.record.endpoint = request.routeOptions.config.endpoint;
		try {
			admit(service, visit);
		} catch (error) {
			reply.hijack();
			refuse(service, visit, error);
			return;
		}
		done();
	});
	for (const endpoint of endpoints) {
		scope.route<{ Params: Record<string, string> }>({
			method: endpoint.method,
			url: endpoint.path,
			config: { endpoint: endpoint.name },
			handler: async (request, reply) => {
				reply.hijack();
				await serve(service, visitOf(request.raw), endpoint, request.params);
			},
		});
	}
	scope.setNotFoundHandler(async (request, reply) => {
		reply.hijack();
		await serve(service, visitOf(request.raw), noEndpoint, {});
	});
}

const noEndpoint: Pick<Endpoint, 'reads' | 'operation'> = {
	reads: 'nothing',
	operation: ({ path }) => {
		throw notFound(`There is no end point at ${path}`);
	},
};

/** A path that cannot be decoded: the key is checked first, as ever. */
function refuseMalformed(service: Service, visit: Visit): void {
	try {
		if (visit.record.path.startsWith(`${service.basePath}/`)) admit(service, visit);
		throw invalid('The path is not well encoded');
	} catch (error) {
		refuse(service, visit, error);
	}
}
