import type { FastifyRequest } from 'fastify';
import type { Database, ContainerRow, UserRow } from '../database/schema.mts';
import { findContainer } from '../database/containerRows.mts';
import { findUser, findUserByKey } from '../database/users.mts';
import { notFound, ServiceError } from '../errors.mts';

export type ApiUser = UserRow & { key_id: string };

declare module 'fastify' {
	interface FastifyRequest {
		/** The user of the API key. */
		user: ApiUser;
	}
}

/** @throws ServiceError 401 where the request has no valid API key */
export async function authenticate(database: Database, request: FastifyRequest): Promise<ApiUser> {
	const [, key] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
	const user = key === undefined ? undefined : await findUserByKey(database, key);
	if (user === undefined) {
		const message =
			'The API key is missing or not valid. Send it as "Authorization: Bearer <API key>".';
		throw new ServiceError(401, 'unauthorized', message);
	}
	return user;
}

/** What belongs to somebody else is not found, but for an administrator. */
const isOwn = ({ id, role }: ApiUser, ownerId: string) => id === ownerId || role === 'admin';

/** @throws ServiceError 404 where the API key can't act for the user */
export async function requireUser(database: Database, user: ApiUser, id: string): Promise<UserRow> {
	const found = isOwn(user, id) ? await findUser(database, id) : undefined;
	if (found === undefined) throw notFound('user');
	return found;
}

/** @throws ServiceError 404 */
export function requireOwn(user: ApiUser, row: ContainerRow | undefined): ContainerRow {
	if (row === undefined || !isOwn(user, row.owner_id)) throw notFound('container');
	return row;
}

/** @throws ServiceError 404 */
export async function requireContainer(
	database: Database,
	user: ApiUser,
	id: string,
): Promise<ContainerRow> {
	return requireOwn(user, await findContainer(database, id));
}
