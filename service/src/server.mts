import { readFileSync } from 'node:fs';
import fastify, {
	LogController,
	type FastifyError,
	type FastifyInstance,
	type FastifyReply,
} from 'fastify';
import { registerApi } from './api/routes.mts';
import { createCountryLookup } from './containers/country.mts';
import type { Vault } from './containers/vault.mts';
import type { Config } from './config.mts';
import { loadContract } from './contract.mts';
import { malformed, notFound, ServiceError, tooLarge } from './errors.mts';
import type { Mailer } from './mail/mailer.mts';
import { problemPage } from './open/pages.mts';
import { registerDoor } from './open/routes.mts';

export const API_PATH = '/api/v1';

interface ServerOptions {
	config: Config;
	vault: Vault;
	mailer: Mailer;
	publicUrl: string;
	/** Absent where a proxy does TLS. */
	certificate?: { cert: string; key: string };
}

/** A body other than an upload that takes longer is cut off. */
const BODY_MS = 60_000;

export async function createServer({
	config,
	vault,
	mailer,
	publicUrl,
	certificate,
}: ServerOptions) {
	const app = fastify({
		https: certificate === undefined ? null : { ...certificate, minVersion: 'TLSv1.2' },
		trustProxy: config.trustedProxies ?? false,
		logger: {
			level: config.logLevel,
			stream: process.stderr,
			// No address, file name or query: an error can hold them, too.
			serializers: { err: toLoggedError },
		},
		logController: new LogController({ disableRequestLogging: true }),
		exposeHeadRoutes: false,
		forceCloseConnections: 'idle',
		keepAliveTimeout: 72_000,
		routerOptions: { maxParamLength: 2000 },
	} as object) as unknown as FastifyInstance;

	app.addHook('onRequest', async (request) => {
		if (certificate === undefined && request.protocol !== 'https') {
			const message =
				'Use HTTPS. Behind a proxy, X-Forwarded-Proto must come from an address in TRUST_PROXY.';
			throw new ServiceError(400, 'https_required', message);
		}
		if (!/^multipart\//i.test(request.headers['content-type'] ?? '')) {
			const timer = setTimeout(() => request.raw.destroy(), BODY_MS);
			request.raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
		}
	});
	app.addHook('onResponse', async (request, reply) => {
		// Whoever goes on to send after the response is not waited for without end.
		if (!request.raw.complete) request.raw.socket.setTimeout(BODY_MS, () => request.raw.destroy());
		const { method, routeOptions } = request;
		const ms = Math.round(reply.elapsedTime);
		request.log.info({ method, route: routeOptions.url, status: reply.statusCode, ms }, 'request');
	});
	app.removeContentTypeParser(['text/plain', 'application/json']);
	const parseJson = app.getDefaultJsonParser('error', 'error');
	app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
		// Some clients name a type without a body.
		if (body === '') done(null, undefined);
		else void parseJson(request, body as string, done);
	});

	const contract = loadContract(new URL('openapi.json', import.meta.url));
	await app.register(
		async (api) => {
			api.setErrorHandler(async (error: FastifyError, request, reply) => {
				const failure = toServiceError(error);
				if (failure.statusCode >= 500) request.log.error(error, 'A request failed');
				return await sendError(reply, failure);
			});
			api.setNotFoundHandler(async (_request, reply) => await sendError(reply, notFound('path')));
			const { requestsPerMinute, maxUploadBytes } = config;
			await registerApi(api, { vault, contract, publicUrl, requestsPerMinute, maxUploadBytes });
		},
		{ prefix: API_PATH },
	);
	await app.register(async (door) => {
		const { timeZone, codesPerAddress, codesPerIp, countryDatabase } = config;
		const style = readFileSync(new URL('../pages/style.css', import.meta.url), 'utf8');
		await registerDoor(
			door,
			{
				...{ vault, mailer, publicUrl, timeZone, codesPerAddress, codesPerIp },
				findCountry: createCountryLookup(countryDatabase),
			},
			style,
		);
	});
	app.setNotFoundHandler(async (_request, reply) => {
		const page = problemPage({ title: 'Page not found', sentence: "This page doesn't exist." });
		return await reply.code(404).type('text/html; charset=utf-8').send(page);
	});
	return app;
}

function toLoggedError({ name, message, stack, code }: NodeJS.ErrnoException) {
	return { type: name, message, stack, code };
}

/** Failures that Fastify finds come with its own codes. */
function toServiceError(error: FastifyError | ServiceError): ServiceError {
	if (error instanceof ServiceError) return error;
	const { statusCode = 500 } = error;
	if (statusCode === 413) return tooLarge('body', 4 * 1024 * 1024);
	if (statusCode === 415) return malformed('Send a body as application/json.');
	if (statusCode < 500) return malformed('The body is not valid JSON.');
	return new ServiceError(500, 'failed', 'The service has a problem. Try again later.');
}

async function sendError(
	reply: FastifyReply,
	{ statusCode, code, message, details }: ServiceError,
) {
	const { fields, retryAfter } = details;
	if (retryAfter !== undefined) void reply.header('Retry-After', String(retryAfter));
	return await reply.code(statusCode).send({ message, code, fields });
}
