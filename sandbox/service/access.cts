import type { Context } from './context.cts';
import { ServiceError, notFound } from './errors.cts';
import type { StoredContainer } from './store.cts';
import type { SandboxUser } from '../users.cts';

/** @returns the user whose key the request carries; @throws ServiceError 401 without a valid one */
export function authenticate(
	authorization: string | undefined,
	users: readonly SandboxUser[],
): SandboxUser {
	const user = users.find(({ apiKey }) => authorization === `Bearer ${apiKey}`);
	if (user !== undefined) return user;
	throw new ServiceError(
		401,
		'unauthorized',
		authorization === undefined ? 'The API key is missing' : 'The API key is not valid',
		{ 'www-authenticate': 'Bearer' },
	);
}

/** @returns the user that the path names; @throws ServiceError 403 or 404 when the key does not reach that far */
export function userInPath({ users, user, params, settings }: Context): SandboxUser {
	const named = users.find(({ id }) => id === params.user_id);
	if (named === undefined) throw notFound(`There is no user ${params.user_id}`);
	if (named === user || user.role === 'administrator') return named;
	throw settings.otherUsers === 'forbidden'
		? new ServiceError(403, 'forbidden', 'The API key has no access to this user')
		: notFound(`There is no user ${params.user_id}`);
}

/** @returns the container that the path names; @throws ServiceError 403 or 404 */
export function containerInPath({ store, user, params, settings }: Context): StoredContainer {
	const id = params.container_id;
	const container = store.containers.get(id);
	if (container === undefined) throw notFound(`There is no container ${id}`);
	if (container.userId === user.id || user.role === 'administrator') return container;
	throw settings.otherUsers === 'forbidden'
		? new ServiceError(403, 'forbidden', 'The API key has no access to this container')
		: notFound(`There is no container ${id}`);
}
