import type { FastifyReply, FastifyRequest } from 'fastify';
import { findContainer } from '../database/containerRows.mts';
import { listEvents } from '../database/eventRows.mts';
import type { EventRow } from '../database/schema.mts';
import { notFound } from '../errors.mts';
import { getContainerId, requireUser } from './access.mts';
import type { HandlerOptions, Handlers } from './handlers.mts';
import { parseSequence, sendPage, toMoment, toPageRequest, type ListQuery } from './lists.mts';

export function createEventHandlers({ vault, publicUrl }: HandlerOptions): Handlers {
	const { database } = vault;
	const send = async (request: FastifyRequest, reply: FastifyReply, containerId?: string) => {
		const { id: ownerId } = await requireUser(database, request);
		const query = request.query as ListQuery & { after?: string };
		const newerThan = query.after === undefined ? undefined : parseSequence('after', query.after);
		const filter = { ownerId, containerId, newerThan, createdAfter: toMoment(query.created_after) };
		const rows = await listEvents(database, filter, toPageRequest(query));
		return sendPage({ request, reply, publicUrl }, rows, toRecord);
	};
	return {
		listEvents: async (request, reply) => await send(request, reply),
		async listContainerEvents(request, reply) {
			const { id: ownerId } = await requireUser(database, request);
			const containerId = getContainerId(request);
			// The events of a container stay when it is deleted.
			const first = { limit: 1, order: 'asc' } as const;
			const [event] = await listEvents(database, { ownerId, containerId }, first);
			const owner = event ?? (await findContainer(database, containerId));
			if (owner?.owner_id !== ownerId) throw notFound('container');
			return await send(request, reply, containerId);
		},
	};
}

function toRecord({ seq, owner_id: _owner, detail, ...record }: EventRow) {
	return { id: String(seq), ...record, detail: JSON.parse(detail) as object };
}
