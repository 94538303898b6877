import type { Context } from './context.cts';
import { ServiceError, notFound } from './errors.cts';
import type { StoredContainer } from './store.cts';
import type { SandboxUser } from '../users.cts';

/** @returns the user whose key the request carries; @throws ServiceError 401 without a valid key */
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

/** @returns the user in the path; @throws ServiceError 403 or 404 when the key has no access to that user */
export function findUser(context: Context): SandboxUser {
	const id = context.params.user_id;
	const user = context.users.find((candidate) => candidate.id === id);
	if (user === undefined) throw notFound(`There is no user ${id}`);
	assertAccess(context, user.id, 'user', id);
	return user;
}

/** @returns the container in the path; @throws ServiceError 403 or 404 when the key has no access to it */
export function findContainer(context: Context): StoredContainer {
	const id = context.params.container_id;
	const container = context.store.containers.get(id);
	if (container === undefined) throw notFound(`There is no container ${id}`);
	assertAccess(context, container.userId, 'container', id);
	return container;
}

function assertAccess(
	{ user, settings }: Context,
	ownerId: string,
	kind: 'user' | 'container',
	id: string,
): void {
	if (user.id === ownerId || user.role === 'administrator') return;
	throw settings.otherUsers === 'forbidden'
		? new ServiceError(403, 'forbidden', `The API key has no access to this ${kind}`)
		: notFound(`There is no ${kind} ${id}`);
}
