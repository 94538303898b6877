import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { getClientIp } from '../containers/addressRanges.mts';
import type { EncodeOptions } from '../containers/encode.mts';
import type { Vault } from '../containers/vault.mts';
import type { Contract } from '../contract.mts';
import { findContainer, findUser, findUserByKey } from '../database/queries.mts';
import type { Database } from '../database/schema.mts';
import { assertValid, notFound, ServiceError } from '../errors.mts';
import type { Call, Handlers } from './call.mts';
import { contactHandlers } from './contacts.mts';
import { containerHandlers } from './containers.mts';

interface ApiOptions extends EncodeOptions {
	vault: Vault;
	calendar: Intl.DateTimeFormat;
	operations: Contract['operations'];
	requestsPerMinute: number;
}

export const JSON_BYTES = 4 * 1024 * 1024;
const NO_KEY = 'The API key is missing or not valid. Send it as "Authorization: Bearer <API key>".';

const handlers: Handlers = { getMe, ...containerHandlers, ...contactHandlers };

export async function registerApi(app: FastifyInstance, options: ApiOptions): Promise<void> {
	const { operations, requestsPerMinute, ...more } = options;
	const { database } = more.vault;
	app.addHook('onRequest', async (request) => {
		const [, key] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
		const user = key === undefined ? undefined : await findUserByKey(database, key);
		if (user === undefined) throw new ServiceError(401, 'unauthorized', NO_KEY);
		request.user = user;
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
	for (const { operationId, method, url, checkQuery, checkBody } of operations) {
		app.route({
			...{ method, url, bodyLimit: JSON_BYTES },
			async handler(request, reply) {
				assertValid(checkQuery(request.query));
				if (checkBody) assertValid(checkBody(request.body ?? null));
				const target = await findTarget(database, request);
				const by = { user: request.user.email, ip: getClientIp(request) };
				return await handlers[operationId]({ ...more, ...target, by, request, reply } as Call);
			},
		});
	}
}

/** The user or the container in the path. @throws ServiceError 404, also for what belongs to somebody else */
async function findTarget(database: Database, request: FastifyRequest): Promise<Partial<Call>> {
	const { params, user } = request;
	const ids = params as Record<string, string | undefined>;
	// A UUID is the same in any capitals.
	for (const name of ['user_id', 'container_id']) ids[name] &&= ids[name].toLowerCase();
	const { user_id, container_id } = ids;
	const isOwn = (ownerId: string) => ownerId === user.id || user.role === 'admin';
	if (`${user_id} ${container_id}`.includes('\0')) throw notFound('path');
	if (user_id !== undefined) {
		const owner = isOwn(user_id) ? await findUser(database, 'id', user_id) : undefined;
		if (owner === undefined) throw notFound('user');
		return { owner };
	}
	if (container_id === undefined) return {};
	const container = await findContainer(database, container_id);
	if (container === undefined || !isOwn(container.owner_id)) throw notFound('container');
	return { container };
}

function getMe({ request, calendar }: Call) {
	const { id, role, created_date, email } = request.user;
	// A user is an organization, and has no name of its own.
	const names = { first_name: '', last_name: '', mobile_phone: '' };
	const features = ['etag', 'idempotency_key', 'events'];
	const time_zone = calendar.resolvedOptions().timeZone;
	return { id, role, root_org_id: id, created_date, email, ...names, features, time_zone };
}
