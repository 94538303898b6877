import type { IDataObject } from 'n8n-workflow';

import { CONTAINER_LIST, fetchList } from '../../../../shared/api/lists';
import { getContainerIdentity } from '../../../../shared/api/records';
import { isRecord } from '../../../../shared/responses/shapes';
import type { OperationContext } from '../../../execution/operation';

/** What is known during an execution about the containers that a user has. */
class ExistingContainers {
	private readonly unknown = new Set<string>();

	/** @param byName an envelope for each name */
	constructor(private readonly byName: Map<string, IDataObject>) {}

	/**
	 * Finds the container with a name.
	 *
	 * @param fetch fetches the list anew, where an upload of that name has an unknown outcome
	 */
	async find(
		name: string,
		fetch: () => Promise<Map<string, IDataObject>>,
	): Promise<IDataObject | undefined> {
		if (!this.unknown.has(name)) return this.byName.get(name);
		const found = (await fetch()).get(name);
		this.unknown.delete(name);
		if (found !== undefined) this.byName.set(name, found);
		return found;
	}

	/** Notes what was created, for later items with the same name. */
	add(name: string, envelope: IDataObject): void {
		this.byName.set(name, envelope);
	}

	/** Notes that a container may have been created although the response was lost. */
	markAsUnknown(name: string): void {
		this.unknown.add(name);
	}
}

/** The containers of the item's user; the list is fetched once per execution. */
export async function getExistingContainers(
	operation: OperationContext,
): Promise<ExistingContainers> {
	const key = `containers of ${operation.item.pathParams.userId ?? ''}`;
	return await operation.run.memoize(
		key,
		async () => new ExistingContainers(await fetchContainersByName(operation)),
	);
}

/** Fetches an envelope for each name, the first of the list where several containers share it. */
export async function fetchContainersByName(
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

/** Encode returns an envelope, and so does a container that is reused, whatever form the list has. */
function toEnvelope(record: IDataObject): IDataObject {
	if (isRecord(record.container)) return record;
	const { org_id: owner, ...container } = record;
	return { ...(owner === undefined ? {} : { org_id: owner }), container };
}
