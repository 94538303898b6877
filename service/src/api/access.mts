import type { FastifyRequest } from 'fastify';
import { findContainer } from '../database/containerRows.mts';
import type { Database, UserRow } from '../database/schema.mts';
import { findUser, findUserByKey } from '../database/users.mts';
import { notFound, ServiceError } from '../errors.mts';

declare module 'fastify' {
	interface FastifyRequest {
		/** The user of the API key. */
		user: UserRow & { key_id: string };
	}
}

const NO_KEY = 'The API key is missing or not valid. Send it as "Authorization: Bearer <API key>".';

/** @throws ServiceError 401 where the request has no valid API key */
export async function authenticate(database: Database, { headers }: FastifyRequest) {
	const [, key] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? [];
	const user = key === undefined ? undefined : await findUserByKey(database, key);
	if (user === undefined) throw new ServiceError(401, 'unauthorized', NO_KEY);
	return user;
}

/** What belongs to somebody else is not found, but for an administrator. */
const isOwn = ({ id, role }: UserRow, ownerId: string) => id === ownerId || role === 'admin';

/** @throws ServiceError 404 where the user of the API key can't act for the user in the path */
export async function requireUser(database: Database, { user, params }: FastifyRequest) {
	const { user_id } = params as { user_id: string };
	const found = isOwn(user, user_id) ? await findUser(database, 'id', user_id) : undefined;
	if (found === undefined) throw notFound('user');
	return found;
}

/** @throws ServiceError 404 */
export async function requireContainer(database: Database, request: FastifyRequest) {
	const row = await findContainer(database, getContainerId(request));
	if (row === undefined || !isOwn(request.user, row.owner_id)) throw notFound('container');
	return row;
}

export const getContainerId = ({ params }: FastifyRequest) =>
	(params as { container_id: string }).container_id;
