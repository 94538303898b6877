import { findUserByKey } from '../database/apiKeys.mts';
import type { ApiKeyRow, Queries, UserRow } from '../database/schema.mts';
import { ServiceError } from '../errors.mts';

/** The user of a request, with the facts of the API key. */
export type ApiUser = UserRow &
	Pick<ApiKeyRow, 'scope' | 'expires_date' | 'last_used_day'> & { key_id: string };

const NO_KEY = 'The API key is missing or not valid. Send it as "Authorization: Bearer <API key>".';
const DISABLED = 'The user of this API key is disabled.';

/** @param authorization the header. @throws ServiceError 401 where its key opens nothing, or nothing any more */
export async function authenticate(queries: Queries, authorization = ''): Promise<ApiUser> {
	const [, key] = /^Bearer (\S+)$/i.exec(authorization) ?? [];
	const user = key === undefined ? undefined : await findUserByKey(queries, key);
	if (user === undefined) throw unauthorized(NO_KEY);
	if (user.disabled_date !== null) throw unauthorized(DISABLED);
	const { expires_date } = user;
	if (expires_date !== null && expires_date <= new Date().toISOString()) {
		throw unauthorized(`This API key expired at ${expires_date}. Use another one.`);
	}
	return user;
}

const unauthorized = (message: string) => new ServiceError(401, 'unauthorized', message);
