import { readNewestId } from '../database/events.mts';
import { invalid, ServiceError } from '../errors.mts';
import { authenticate } from './authenticate.mts';
import { findTrailOwner, type TrailCall } from './call.mts';
import { readPage, toPage } from './listPage.mts';

/** The events of an owner. Where the request says how long, and there is none yet, it waits for one. */
export async function readEvents(call: TrailCall) {
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
	const waiting = { keyId, milliseconds: wait * 1000, response };
	const rows = await call.waits.wait({ ownerId: call.ownerId, subject, read, check }, waiting);
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
