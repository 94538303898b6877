import type { IDataObject } from 'n8n-workflow';

import { CONTAINER_LIST, fetchList } from '../../../../shared/api/lists';
import { getContainerIdentity } from '../../../../shared/api/records';
import { isRecord } from '../../../../shared/responses/shapes';
import type { OperationContext } from '../../../execution/operation';

/** The containers of a user, by name, during an execution. */
class ExistingContainers {
	private readonly unknown = new Set<string>();

	constructor(private readonly byName: Map<string, IDataObject>) {}

	/** The envelope for a name. Fetches the list again after an upload of that name with an unknown outcome. */
	async find(operation: OperationContext, name: string): Promise<IDataObject | undefined> {
		if (!this.unknown.has(name)) return this.byName.get(name);
		const found = (await fetchContainersByName(operation)).get(name);
		this.unknown.delete(name);
		if (found !== undefined) this.byName.set(name, found);
		return found;
	}

	/** Adds what was created, for later items with the same name. */
	add(name: string, envelope: IDataObject): void {
		this.byName.set(name, envelope);
	}

	/** Marks a container that might have been created although the response was lost. */
	markAsUnknown(name: string): void {
		this.unknown.add(name);
	}
}

/** The containers of the item's user; the list is fetched once per execution. */
export async function getExistingContainers(
	operation: OperationContext,
): Promise<ExistingContainers> {
	return await operation.tasks.memoize(
		`containers of ${await operation.getUserId()}`,
		async () => new ExistingContainers(await fetchContainersByName(operation)),
	);
}

/** Fetches an envelope for each name: the first in the list if several containers have it. */
async function fetchContainersByName(
	operation: OperationContext,
): Promise<Map<string, IDataObject>> {
	const userId = await operation.getUserId();
	const byName = new Map<string, IDataObject>();
	for (const record of await fetchList(operation.client, CONTAINER_LIST, userId)) {
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
