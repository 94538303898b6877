import { changeRules } from '../containers/changeRules.mts';
import { openSeal } from '../containers/seal.mts';
import { requireContainer, requireOwn } from './access.mts';
import type { HandlerOptions, Handlers } from './handlers.mts';

interface ContainerPath {
	container_id: string;
}

const toETag = (revision: number) => `"${revision}"`;

export function createDrmHandlers({ vault }: HandlerOptions): Handlers {
	return {
		async getDrmRules({ user, params }, reply) {
			const row = await requireContainer(
				vault.database,
				user,
				(params as ContainerPath).container_id,
			);
			return reply.header('ETag', toETag(row.revision)).send(openSeal(vault.keys, row).rules);
		},
		async updateDrmRules({ user, params, body, headers, ip }, reply) {
			const { rules, revision } = await changeRules(vault, (params as ContainerPath).container_id, {
				change: () => body as object,
				by: { user: user.email, ip },
				assertAllowed: (row) => requireOwn(user, row),
				isExpected: (current) => matches(headers['if-match'], toETag(current)),
			});
			return reply.header('ETag', toETag(revision)).send(rules);
		},
	};
}

/** Whether the header If-Match allows a change (RFC 9110, 13.1.1). */
function matches(header: string | undefined, etag: string): boolean {
	if (header === undefined) return true;
	return header.split(',').some((tag) => ['*', etag].includes(tag.trim()));
}
