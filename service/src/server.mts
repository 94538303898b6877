import { isUtf8 } from 'node:buffer';
import fastify, { LogController, type FastifyInstance } from 'fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LongPolls } from './api/longPolls.mts';
import { JSON_BYTES, registerApi, type ApiOptions } from './api/routes.mts';
import type { Site } from './brand/site.mts';
import type { Config } from './config.mts';
import { createCountryLookup } from './web/country.mts';
import type { Vault } from './containers/vault.mts';
import { loadContract } from './contract.mts';
import { dropRest } from './dropRest.mts';
import { malformed, ServiceError, tooLarge } from './errors.mts';
import { openLog } from './log.mts';
import type { Mailer } from './mail/mailer.mts';
import type { Metrics } from './metrics/metrics.mts';
import { sendFailurePage } from './open/pageErrors.mts';
import { registerDoor } from './open/routes.mts';
import type { SendDoor } from './open/send/senderVisit.mts';
import { registerHealth } from './operate/health.mts';
import { checkParts, PartCheck } from './operate/partCheck.mts';
import { readTrace } from './traceContext.mts';
import type { Viewing } from './viewing/viewing.mts';

export const API_PATH = '/api/v1';

interface ServerOptions {
	config: Config;
	vault: Vault;
	mailer: Mailer;
	viewing: Viewing;
	/** Where somebody reads them. */
	metrics?: Metrics;
	site: Site;
	publicUrl: string;
	/** Nothing where a proxy does TLS. */
	certificate?: { cert: string; key: string };
	/** Whether the certificate is signed by an authority that nobody knows yet. */
	hasOwnAuthority: boolean;
}

/** A body other than an upload that takes longer is cut off. */
const BODY_MS = 60_000;
const RETRY_AFTER_SECONDS = 10;
/** A year: browsers ask no more by HTTP. */
const HSTS = 'max-age=31536000';

export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
	const { vault, viewing, metrics } = options;
	const app = await createApp(options);
	// What is logged while a request is answered has its number, and its trace.
	app.setChildLoggerFactory((logger, bindings, level, { headers }) =>
		logger.child({ ...bindings, ...readTrace(headers.traceparent) }, level),
	);
	metrics?.watchRequests(app);
	addHooks(app, options);
	parseJsonBodies(app);
	app.setErrorHandler(sendFailure);
	const partCheck = new PartCheck(async () => await checkParts(vault));
	registerHealth(app, partCheck);
	addUnavailable(app, partCheck);
	const longPolls = new LongPolls(vault.events);
	metrics?.watchParts(async () => await partCheck.read());
	metrics?.watchLongPolls(longPolls);
	const api = toApiOptions(options, longPolls);
	await app.register(async (scope) => await registerApi(scope, api), { prefix: API_PATH });
	app.addHook('onClose', async () => await viewing.close());
	const door = toDoor(options);
	await app.register(async (scope) => await registerDoor(scope, door));
	return app;
}

/** What the API is told: no secret of the settings. */
function toApiOptions(options: ServerOptions, longPolls: LongPolls): ApiOptions {
	const { config, vault, publicUrl } = options;
	const { calendar, isOfficeShown, maxUploadBytes, requestsPerMinute } = config;
	const settings = { calendar, isOfficeShown, maxUploadBytes, requestsPerMinute };
	const contract = loadContract(new URL('openapi.json', import.meta.url));
	return { vault, publicUrl, longPolls, ...settings, ...contract };
}

/** What the pages are told: no secret of the settings. */
function toDoor({ config, vault, mailer, viewing, site }: ServerOptions): SendDoor {
	const findCountry = createCountryLookup(config.countryDatabase);
	const { calendar, codesPerAddress, codesPerIp, rememberHours } = config;
	const { isWatermarkOff, isPageTextOff, isOfficeShown } = config;
	const { maxUploadBytes, keptFreeBytes, openScan } = config;
	return {
		vault,
		mailer,
		viewing,
		site,
		findCountry,
		calendar,
		codesPerAddress,
		codesPerIp,
		rememberHours,
		isWatermarkOff,
		isPageTextOff,
		isOfficeShown,
		maxUploadBytes,
		keptFreeBytes,
		openScan,
	};
}

async function createApp(options: ServerOptions): Promise<FastifyInstance> {
	const { config, certificate, site, metrics } = options;
	const { isTlsOff, isTrustedProxy, logLevel } = config;
	const stream = await openLog(config.logFormat);
	const settings: object = {
		https: isTlsOff ? null : { ...certificate, minVersion: 'TLSv1.2' },
		trustProxy: isTrustedProxy ?? false,
		logger: {
			level: logLevel,
			stream,
			serializers: { err: toLogged },
			hooks: metrics?.logHooks ?? {},
		},
		logController: new LogController({ disableRequestLogging: true }),
		exposeHeadRoutes: false,
		forceCloseConnections: 'idle',
		// Until it has stopped, it answers as always.
		return503OnClosing: false,
		routerOptions: { maxParamLength: 20_000, ignoreTrailingSlash: true },
		frameworkErrors: async (error: Error, request: FastifyRequest, reply: FastifyReply) => {
			if (request.url.startsWith(API_PATH)) return await sendFailure(error, request, reply);
			return await sendFailurePage(site, error, request, reply);
		},
	};
	return fastify(settings) as unknown as FastifyInstance;
}

function addHooks(app: FastifyInstance, options: ServerOptions): void {
	const { hasOwnAuthority, publicUrl } = options;
	const { isTlsOff } = options.config;
	// For localhost, it would count for all other servers of this machine.
	const isHttpsOnly = !hasOwnAuthority && new URL(publicUrl).hostname !== 'localhost';
	app.addHook('onRequest', async ({ protocol, headers, raw, routeOptions }, reply) => {
		// A browser lets nobody go on by hand where it expects a certificate that it trusts.
		if (isHttpsOnly) void reply.header('Strict-Transport-Security', HSTS);
		if (isTlsOff && protocol !== 'https' && !routeOptions.config.isProbe) {
			throw new ServiceError(400, 'https_required', 'Use HTTPS, through a proxy in TRUST_PROXY.');
		}
		if (/^multipart\//i.test(headers['content-type'] ?? '')) return;
		const cutOff = () => {
			if (!raw.complete) raw.destroy();
		};
		const timer = setTimeout(cutOff, BODY_MS).unref();
		raw.once('close', () => clearTimeout(timer));
	});
	app.addHook('onResponse', async ({ raw, method, routeOptions, log }, reply) => {
		dropRest(raw);
		if (routeOptions.config.isProbe) return;
		// No person and no secret: the route, not the URL.
		const ms = Math.round(reply.elapsedTime);
		log.info({ method, route: routeOptions.url, status: reply.statusCode, ms }, 'request');
	});
}

/** What fails while a part is gone can be tried again: it is no mistake of the service. */
function addUnavailable(app: FastifyInstance, partCheck: PartCheck): void {
	app.addHook('onSend', async (_request, reply) => {
		if (reply.statusCode !== 500) return;
		const begin = performance.now() - reply.elapsedTime;
		if (!(await partCheck.hasFailedSince(begin))) return;
		void reply.code(503).header('Retry-After', String(RETRY_AFTER_SECONDS));
	});
}

function parseJsonBodies(app: FastifyInstance): void {
	const parseJson = app.getDefaultJsonParser('error', 'error');
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
		if (!isUtf8(body as Buffer)) done(malformed("The body isn't UTF-8."));
		// Some clients name a type without a body.
		else if (body.length === 0) done(null, undefined);
		else void parseJson(request, body.toString(), done);
	});
}

/** Without the fields of databases and mail servers, and the addresses in their words. */
const toLogged = ({ name, code, stack = '' }: NodeJS.ErrnoException) => ({
	type: name,
	code,
	stack: stack.replace(/[^\s/]+@[^\s/]+/g, '…'),
});

/** Failures that Fastify finds come with its own statuses. */
function toServiceError(error: Error & { statusCode?: number }): ServiceError {
	if (error instanceof ServiceError) return error;
	const { statusCode = 500 } = error;
	if (statusCode === 413) return tooLarge('body', JSON_BYTES);
	if (statusCode < 500) return malformed(`The request can't be read: ${error.message}.`);
	return new ServiceError(500, 'failed', 'The service has a problem. Try again later.');
}

/** Answers a request for the API that failed. */
async function sendFailure(error: Error, _request: FastifyRequest, reply: FastifyReply) {
	const { statusCode, code, message, details } = toServiceError(error);
	const { fields, retryAfter, newest } = details;
	if (statusCode >= 500) reply.log.error(error, 'A request failed');
	if (retryAfter !== undefined) void reply.header('Retry-After', String(retryAfter));
	// Fastify closes where a body is too large, and many clients would not get the response.
	void reply.removeHeader('Connection').code(statusCode);
	// A file that can't be read has its headers already.
	void reply.removeHeader('Content-Disposition').type('application/json; charset=utf-8');
	return await reply.send({ message, code, fields, newest });
}
