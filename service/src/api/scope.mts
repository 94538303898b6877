import type { KeyScope } from '../database/schema.mts';
import { ServiceError } from '../errors.mts';

interface Asked {
	operationId: string;
	method: string;
	query: { name?: unknown; recipient?: unknown };
}

const LIMITED: Record<Exclude<KeyScope, 'all'>, string> = {
	read: 'This API key can only read: its scope is "read".',
	encode:
		'This API key can only encode files, and look for containers by name: its scope is "encode".',
};

/** @throws ServiceError 403 where the API key isn't for such a request */
export function checkScope(scope: KeyScope, asked: Asked): void {
	if (scope === 'all' || (scope === 'read' && asked.method === 'GET')) return;
	if (scope === 'encode' && isForEncode(asked)) return;
	throw new ServiceError(403, 'scope', LIMITED[scope]);
}

/** A client looks for a container by its name before it tries again to create one. Whom rules name isn't for such a key. */
function isForEncode({ operationId, query }: Asked): boolean {
	if (operationId === 'listContainers') return Boolean(query.name) && query.recipient === undefined;
	return operationId === 'getMe' || operationId === 'encodeFiles';
}
