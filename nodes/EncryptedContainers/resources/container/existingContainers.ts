import type { IDataObject } from 'n8n-workflow';

import { containerOf, isRecord } from '../../../shared/answers/records';
import type { Target } from '../../../shared/input/target';
import { pathOf } from '../../../shared/input/target';
import type { Call } from '../../../shared/run/operation';
import { readList } from '../../../shared/transport/readList';

/** Where the containers of a user are listed (service-api.md, end point 3). */
const LIST_URL = '/users/{userId}/containers';

/**
 * Reads the containers that a user has, once a run.
 *
 * @param call the item's means of sending
 * @param target whose containers
 * @returns an envelope for each name, the first of the list where several share it; what the run makes is added to it
 * @throws NodeApiError when the list cannot be read
 */
export async function existingContainers(
	call: Call,
	target: Target,
): Promise<Map<string, IDataObject>> {
	return await call.run.once(`containers of ${target.userId ?? ''}`, async () => {
		const path = await pathOf(call, target, LIST_URL);
		const entries = await readList(
			call.client,
			{ method: 'GET', path, action: 'list the containers' },
			Number.POSITIVE_INFINITY,
		);
		const known = new Map<string, IDataObject>();
		for (const entry of entries.filter(isRecord)) {
			const { name } = containerOf(entry);
			if (name !== undefined && !known.has(name)) known.set(name, toEnvelope(entry));
		}
		return known;
	});
}

/** Encode answers an envelope, and so does a container that is reused, whatever form the list has. */
function toEnvelope(entry: IDataObject): IDataObject {
	if (isRecord(entry.container)) return entry;
	const { org_id: owner, ...container } = entry;
	return { ...(owner === undefined ? {} : { org_id: owner }), container };
}
