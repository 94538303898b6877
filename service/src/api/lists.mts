import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageRequest } from '../database/pages.mts';
import { invalid } from '../errors.mts';

/** The query of a list, checked against the contract. */
export interface ListQuery {
	limit: number;
	cursor?: string;
	order?: 'asc' | 'desc';
	created_after?: string;
	created_before?: string;
}

/** @returns the page that a query asks for, with one entry more that tells whether more follow */
export function toPageRequest({ limit, cursor, order = 'asc' }: ListQuery): PageRequest {
	const after = cursor === undefined ? undefined : parseSequence('cursor', cursor);
	return { limit: limit + 1, order, after };
}

/** @throws ServiceError 422 */
export function parseSequence(field: string, text: string): number {
	if (/^\d{1,15}$/.test(text)) return Number(text);
	throw invalid({ [field]: "isn't one that this service returned" });
}

/**
 * Sends a page, with the way to the next one in the header Link (RFC 8288). The cursor is the number of the
 * last entry, so that entries that come and go move no other entry.
 */
export function sendPage<Row extends { seq: number }>(
	{
		request,
		reply,
		publicUrl,
	}: { request: FastifyRequest; reply: FastifyReply; publicUrl: string },
	rows: Row[],
	toRecord: (row: Row) => object,
): FastifyReply {
	const { limit } = request.query as ListQuery;
	const page = rows.slice(0, limit);
	if (rows.length > limit) {
		const next = new URL(request.url, publicUrl);
		next.searchParams.set('cursor', String(page[page.length - 1].seq));
		void reply.header('Link', `<${next.href}>; rel="next"`);
	}
	return reply.send(page.map(toRecord));
}

/** A day begins at midnight in UTC. */
export function toMoment(text: string | undefined): string | undefined {
	return text === undefined ? undefined : new Date(text).toISOString();
}
