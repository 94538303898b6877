import { getClientIp } from '../containers/addressRanges.mts';
import { openSeal } from '../containers/seal.mts';
import { changeRules } from '../containers/vault.mts';
import { ServiceError } from '../errors.mts';
import { getContainerId, requireContainer } from './access.mts';
import type { HandlerOptions, Handlers } from './handlers.mts';

const toETag = (revision: number) => `"${revision}"`;

export function createDrmHandlers({ vault }: HandlerOptions): Handlers {
	return {
		async getDrmRules(request, reply) {
			const row = await requireContainer(vault.database, request);
			const { rules } = openSeal(vault.keys, row);
			return reply.header('ETag', toETag(row.revision)).send(rules);
		},
		async updateDrmRules(request, reply) {
			await requireContainer(vault.database, request);
			const expected = request.headers['if-match'];
			const change = (_before: object, current: number) => {
				if (expected === undefined || matches(expected, toETag(current)))
					return request.body as object;
				throw new ServiceError(412, 'changed', 'The rules have changed meanwhile.');
			};
			const by = { user: request.user.email, ip: getClientIp(request) };
			const { rules, revision } = await changeRules(vault, getContainerId(request), by, change);
			return reply.header('ETag', toETag(revision)).send(rules);
		},
	};
}

/** Whether the header If-Match names the ETag (RFC 9110, 13.1.1). */
function matches(header: string, etag: string): boolean {
	return header.split(',').some((tag) => ['*', etag].includes(tag.trim()));
}
