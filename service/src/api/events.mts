import { listEvents } from '../database/eventRows.mts';
import type { EventRow } from '../database/schema.mts';
import { notFound } from '../errors.mts';
import { findContainer } from '../database/containerRows.mts';
import { requireOwn, requireUser } from './access.mts';
import { parseSequence, toMoment, toPage, toPageRequest, type ListQuery } from './lists.mts';
import type { HandlerOptions, Handlers } from './handlers.mts';

interface EventPath {
	user_id: string;
	container_id?: string;
}

interface EventQuery extends ListQuery {
	after?: string;
	created_after?: string;
}

export function createEventHandlers({ vault: { database }, publicUrl }: HandlerOptions): Handlers {
	const list: Handlers[string] = async (request, reply) => {
		const { user_id, container_id } = request.params as EventPath;
		const { id } = await requireUser(database, request.user, user_id);
		const query = request.query as EventQuery;
		const { after, created_after } = query;
		const rows = await listEvents(
			database,
			{ ownerId: id, containerId: container_id },
			{
				createdAfter: toMoment(created_after),
				newerThan: after === undefined ? undefined : parseSequence({ after }),
			},
			toPageRequest(query),
		);
		return toPage({ request, reply, publicUrl }, rows).map(toRecord);
	};
	return {
		listEvents: list,
		async listContainerEvents(request, reply) {
			const { user_id, container_id = '' } = request.params as EventPath;
			await requireUser(database, request.user, user_id);
			// The events of a container stay when it is deleted.
			const [any] = await listEvents(
				database,
				{ ownerId: user_id, containerId: container_id },
				{},
				{ limit: 1, order: 'asc' },
			);
			if (any === undefined) {
				const row = requireOwn(request.user, await findContainer(database, container_id));
				if (row.owner_id !== user_id) throw notFound('container');
			}
			return await list(request, reply);
		},
	};
}

function toRecord({
	seq,
	created_date,
	action,
	container_id,
	container_name,
	user,
	detail,
}: EventRow) {
	const parsed = JSON.parse(detail) as object;
	return {
		id: String(seq),
		created_date,
		action,
		container_id,
		container_name,
		user,
		detail: parsed,
	};
}
