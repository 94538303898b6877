import rateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { getClientIp } from '../web/clientAddress.mts';
import type { Contract } from '../contract.mts';
import { recordKeyUse } from '../database/apiKeys.mts';
import { assertValid, notFound, ServiceError } from '../errors.mts';
import { authenticate } from './authenticate.mts';
import { forNobody, type ApiContext, type Call, type Handler, type Handlers } from './call.mts';
import { contactHandlers } from './contacts.mts';
import { containerHandlers } from './containers.mts';
import { eventHandlers } from './readEvents.mts';
import { requestHandlers } from './requests.mts';
import { checkScope } from './scope.mts';
import { RequestCounts } from './requestCounts.mts';

type Operation = Contract['operations'][number];

export type ApiOptions = Omit<ApiContext, 'requestCounts'> & {
	operations: Operation[];
	requestsPerMinute: number;
};

/** Of a date and time, such as 2026-01-15T09:30:00.123Z. */
const DAY_LENGTH = 10;
/** What the service supports beyond what all do. */
const FEATURES = [
	'etag',
	'idempotency_key',
	'events',
	'events_wait',
	'recipient_filter',
	'decode',
	'requests',
];
export const JSON_BYTES = 4 * 1024 * 1024;

const handlers: Handlers = {
	getMe: forNobody(getMe),
	...containerHandlers,
	...eventHandlers,
	...contactHandlers,
	...requestHandlers,
};

export async function registerApi(app: FastifyInstance, options: ApiOptions): Promise<void> {
	const { operations, requestsPerMinute, ...given } = options;
	const { longPolls, vault } = given;
	const { database } = vault;
	const requestCounts = new RequestCounts();
	// Who waits is answered before it stops.
	app.addHook('preClose', async () => longPolls.end());
	app.addHook('onRequest', async (request) => {
		request.user = await authenticate(database, request.headers.authorization);
	});
	// After the response: no request waits for it.
	app.addHook('onResponse', async ({ user, log }) => {
		const today = new Date().toISOString().slice(0, DAY_LENGTH);
		if (!user || user.last_used_day === today) return;
		await recordKeyUse(database, user.key_id, today).catch((error: Error) => {
			log.error(error, "The last use of an API key can't be stored");
		});
	});
	app.setNotFoundHandler(() => {
		throw notFound('path');
	});
	await app.register(rateLimit, {
		max: requestsPerMinute,
		store: toStore(requestCounts),
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
	const context = { ...given, requestCounts };
	for (const operation of operations) addRoute(app, operation, context);
}

/** The plugin wants a class to create it. */
const toStore = (store: RequestCounts) =>
	function Store() {
		return store;
	} as unknown as FastifyRateLimitStoreCtor;

function addRoute(app: FastifyInstance, operation: Operation, context: ApiContext): void {
	const { operationId, method, url, checkQuery, checkBody } = operation;
	const { handle } = findHandler(operation);
	app.route({
		method,
		url,
		bodyLimit: JSON_BYTES,
		async handler(request, reply) {
			const query = request.query as { name?: unknown; recipient?: unknown };
			// Who sends a body slowly can have lost all access before its end.
			if (method !== 'GET') {
				request.user = await authenticate(context.vault.database, request.headers.authorization);
			}
			checkScope(request.user.scope, { operationId, method, query });
			assertValid(checkQuery(query));
			if (checkBody) assertValid(checkBody(request.body ?? null));
			normalizeParams(request.params as Record<string, string>);
			const by = { user: request.user.address, ip: getClientIp(request) };
			return await handle({ ...context, by, request, reply } as Call);
		},
	});
}

/** @throws Error where an operation of the contract has no handler, or the path not what the handler needs */
function findHandler({ operationId, url }: Operation): Handler {
	if (!Object.hasOwn(handlers, operationId)) throw new Error(`${operationId} has no handler`);
	const handler = handlers[operationId];
	const { target } = handler;
	if (target && !url.split('/').includes(`:${target}`)) {
		throw new Error(`The path of ${operationId} has no ${target}`);
	}
	return handler;
}

/** A UUID is the same in any capitals. @throws ServiceError 404 for what can be the ID of nothing */
function normalizeParams(params: Record<string, string>): void {
	for (const name of ['user_id', 'container_id', 'request_id']) {
		if (params[name] === undefined) continue;
		if (params[name].includes('\0')) throw notFound('path');
		params[name] = params[name].toLowerCase();
	}
}

function getMe({ request, calendar, publicUrl }: Call) {
	const { id, role, created_date, email, scope, expires_date } = request.user;
	// A user is an organization, and has no name of its own.
	const names = { first_name: '', last_name: '', mobile_phone: '' };
	const time_zone = calendar.resolvedOptions().timeZone;
	const user = { id, role, root_org_id: id, created_date, email, ...names };
	const container_url = `${publicUrl}/c/{containerId}`;
	const request_url = `${publicUrl}/r/{requestId}`;
	return {
		...user,
		scope,
		expires_date,
		features: FEATURES,
		time_zone,
		container_url,
		request_url,
	};
}
