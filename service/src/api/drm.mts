import { getClientIp } from '../clientIp.mts';
import { changeRules } from '../containers/changeRules.mts';
import { openSeal } from '../containers/seal.mts';
import { getContainerId, requireContainer, requireOwn } from './access.mts';
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
			const expected = request.headers['if-match'];
			const { rules, revision } = await changeRules(vault, getContainerId(request), {
				change: () => request.body as object,
				by: { user: request.user.email, ip: getClientIp(request) },
				assertAllowed: (row) => requireOwn(request, row),
				isExpected: (current) => expected === undefined || matches(expected, toETag(current)),
			});
			return reply.header('ETag', toETag(revision)).send(rules);
		},
	};
}

/** Whether the header If-Match names the ETag (RFC 9110, 13.1.1). */
function matches(header: string, etag: string): boolean {
	return header.split(',').some((tag) => ['*', etag].includes(tag.trim()));
}
