import { findEvent, readNewestId } from '../database/events.mts';
import { listRows } from '../database/lists.mts';
import { findContainer } from '../database/queries.mts';
import type { EventRow } from '../database/schema.mts';
import { invalid, notFound, ServiceError } from '../errors.mts';
import { authenticate } from './authenticate.mts';
import { findTrailOwner, forTrail, forUser } from './call.mts';
import type { Handlers, TrailCall, UserCall } from './call.mts';
import { listPage, readPage, toPage } from './listPage.mts';

export const eventHandlers: Handlers = {
	listEvents: forTrail(async (call) => (await readEvents(call)).map(toEvent)),
	listContainerEvents: forUser(listContainerEvents),
	getEvent: forTrail(async ({ vault, ownerId, request }) => {
		const { event_id: id } = request.params;
		const isId = /^\d{1,15}$/.test(id);
		const event = isId ? await findEvent(vault.database, ownerId, Number(id)) : undefined;
		if (event === undefined) throw notFound('event');
		return toEvent(event);
	}),
};

/** The events of an owner. Where the request says how long, and there is none yet, it waits for one. */
async function readEvents(call: TrailCall) {
	const { request, reply, vault, requestCounts } = call;
	const { wait, ...query } = request.query;
	const own = { owner_id: call.ownerId };
	const read = async () => {
		await checkAfter(call);
		return await readPage(call, 'events', own);
	};
	if (!wait) return toPage(call, await read());
	checkWait(query);
	const { key_id: keyId } = request.user;
	const subject = JSON.stringify([keyId, own, query]);
	// Meanwhile, the key can have been revoked.
	const check = async () => {
		request.user = await authenticate(vault.database, request.headers.authorization);
		await findTrailOwner(call);
	};
	const sentAt = Date.now();
	const response = reply.raw;
	const poll = { ownerId: call.ownerId, subject, read, check };
	const waiter = { keyId, milliseconds: wait * 1000, response };
	const rows = await call.longPolls.wait(poll, waiter);
	if (rows.length === 0 && !response.destroyed) requestCounts.takeBack(keyId, sentAt);
	return toPage(call, rows);
}

/** @throws ServiceError 409 where no event had the ID yet: the client knows a later state than the database, which was put back */
async function checkAfter({ vault, request }: TrailCall): Promise<void> {
	const { after } = request.query;
	if (after === undefined) return;
	const newest = await readNewestId(vault.database);
	if (Number(after) <= newest) return;
	const message = `No event had the ID ${after} yet. The newest one is ${newest}.`;
	throw new ServiceError(409, 'after_unknown', message, { newest: String(newest) });
}

/** @throws ServiceError 422 where it isn't clear what comes next */
function checkWait({ after, created_after, order, cursor }: TrailCall['request']['query']): void {
	if (after === undefined && created_after === undefined) {
		throw invalid({ wait: 'needs after or created_after' });
	}
	if (order === 'desc') throw invalid({ wait: "can't be combined with order=desc" });
	if (cursor !== undefined) throw invalid({ wait: "can't be combined with cursor" });
}

async function listContainerEvents(call: UserCall) {
	const { database } = call.vault;
	const { container_id } = call.request.params;
	const ofContainer = { container_id };
	// The events of a container stay when it is deleted. The last one is in the trail of the last owner.
	const newest = { limit: 1, order: 'desc' } as const;
	const [event] = await listRows(database, 'events', ofContainer, newest);
	const { owner_id } = (await findContainer(database, container_id)) ?? event ?? {};
	if (owner_id !== call.owner.id) throw notFound('container');
	return (await listPage(call, 'events', ofContainer)).map(toEvent);
}

function toEvent({ seq, created_date, action, container_id, container_name, ...row }: EventRow) {
	const { request_id, user, hash, mac } = row;
	const detail = JSON.parse(row.detail) as object;
	const about = { created_date, action, container_id, container_name, request_id };
	return { id: String(seq), ...about, user, detail, hash, mac };
}
