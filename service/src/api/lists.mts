import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageRequest } from '../database/containerRows.mts';
import { invalid } from '../errors.mts';

/** The query of a list, checked against the contract. */
export interface ListQuery {
	limit: number;
	cursor?: string;
	order?: 'asc' | 'desc';
}

/** @returns the page that a query asks for, with one entry more that tells whether there is another page */
export function toPageRequest({ limit, cursor, order = 'asc' }: ListQuery): PageRequest {
	return {
		limit: limit + 1,
		order,
		after: cursor === undefined ? undefined : parseSequence({ cursor }),
	};
}

/** @throws ServiceError 422 */
export function parseSequence(field: Record<string, string>): number {
	const [[name, text]] = Object.entries(field);
	const sequence = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
	if (sequence === undefined) throw invalid({ [name]: "isn't one that this service returned" });
	return sequence;
}

/**
 * Returns a page of a list, with the way to the next page in the header Link (RFC 8288). The cursor is the
 * sequence number of the last entry, so that entries that come and go move no other entry.
 */
export function toPage<Row extends { seq: number }>(
	{
		request,
		reply,
		publicUrl,
	}: { request: FastifyRequest; reply: FastifyReply; publicUrl: string },
	rows: Row[],
): Row[] {
	const { limit } = request.query as ListQuery;
	const page = rows.slice(0, limit);
	if (rows.length > limit) {
		const next = new URL(request.url, publicUrl);
		next.searchParams.set('cursor', String(page[page.length - 1].seq));
		void reply.header('Link', `<${next.href}>; rel="next"`);
	}
	return page;
}

/** A day begins at midnight in UTC. */
export function toMoment(text: string | undefined): string | undefined {
	return text === undefined ? undefined : new Date(text).toISOString();
}
