import { findContainer } from '../database/queries.mts';
import { listRows } from '../database/lists.mts';
import type { EventRow } from '../database/schema.mts';
import { notFound } from '../errors.mts';
import { listPage, type Handlers } from './call.mts';

export const eventHandlers: Handlers = {
	async listEvents(call) {
		return (await listPage(call, 'events', { owner_id: call.owner.id })).map(toRecord);
	},
	async listContainerEvents(call) {
		const { database } = call.vault;
		const { container_id } = call.request.params;
		const own = { owner_id: call.owner.id, container_id };
		// The events of a container stay when it is deleted.
		const [event] = await listRows(database, 'events', own, { limit: 1 });
		const owner = event ?? (await findContainer(database, container_id));
		if (owner?.owner_id !== own.owner_id) throw notFound('container');
		return (await listPage(call, 'events', own)).map(toRecord);
	},
};

function toRecord({ seq, created_date, action, container_id, container_name, ...row }: EventRow) {
	const { user, detail } = row;
	const about = { created_date, action, container_id, container_name, user };
	return { id: String(seq), ...about, detail: JSON.parse(detail) as object };
}
