import type { IDataObject } from 'n8n-workflow';

import { CONTAINER_LIST, fetchList } from '../../../../shared/api/lists';
import { getContainerIdentity } from '../../../../shared/api/records';
import { isRecord } from '../../../../shared/responses/shapes';
import { KnownList } from '../../../execution/knownList';
import type { OperationContext } from '../../../execution/operation';

/** The envelopes of the user's containers by name; the list is fetched once per execution. */
export async function getExistingContainers(
	operation: OperationContext,
): Promise<KnownList<IDataObject>> {
	const key = await operation.getListKey('containers');
	return await operation.tasks.memoize(
		key,
		async () => await new KnownList<IDataObject>(key).load(fetchContainersByName(operation)),
	);
}

/** The envelope for a name. Fetches the list again if a container of that name might have been created since. */
export async function findContainer(
	operation: OperationContext,
	name: string,
): Promise<IDataObject | undefined> {
	const existing = await getExistingContainers(operation);
	if (existing.isStale(name))
		existing.set(name, (await fetchContainersByName(operation)).get(name));
	return existing.get(name);
}

/** Fetches an envelope for each name: the first in the list if several containers have it. */
async function fetchContainersByName(
	operation: OperationContext,
): Promise<Map<string, IDataObject>> {
	const userId = await operation.getUserId();
	const byName = new Map<string, IDataObject>();
	const records = await fetchList(operation.client, CONTAINER_LIST, userId, { needs: 'name' });
	for (const record of records) {
		const { name } = getContainerIdentity(record);
		if (name !== undefined && !byName.has(name)) byName.set(name, toEnvelope(record));
	}
	return byName;
}

/** Reusing a container returns an envelope, as encode does, whatever form the list has. */
function toEnvelope(record: IDataObject): IDataObject {
	if (isRecord(record.container)) return record;
	const { org_id: owner, ...container } = record;
	return { ...(owner === undefined ? {} : { org_id: owner }), container };
}
