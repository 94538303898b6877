import type { FastifyRequest } from 'fastify';

/** Where a link leads: to files that were sent, or to a request for files. */
export interface Link {
	/** Of the container or the request, in lower case. */
	id: string;
	path: string;
	isRequest: boolean;
}

const REQUESTS = '/r/';

export const toFilesPath = (id: string) => `/c/${id}`;
export const toRequestPath = (id: string) => `${REQUESTS}${id}`;

/** @returns nothing for a page without an ID, such as the root */
export function findLink({ params, url }: FastifyRequest): Link | undefined {
	const { id: sent } = (params ?? {}) as { id?: string };
	if (sent === undefined) return undefined;
	const id = encodeURIComponent(sent.toLowerCase());
	const isRequest = url.startsWith(REQUESTS);
	return { id, path: isRequest ? toRequestPath(id) : toFilesPath(id), isRequest };
}
