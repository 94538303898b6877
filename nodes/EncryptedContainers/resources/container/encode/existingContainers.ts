import type { IDataObject } from 'n8n-workflow';

import { getContainerIdentity, isRecord } from '../../../../shared/api/records';
import type { Target } from '../../../execution/pathParams';
import { pathOf } from '../../../execution/pathParams';
import type { Call } from '../../../execution/defineOperation';
import { fetchAllPages } from '../../../../shared/client/paginate';

/** Where the containers of a user are listed (service-api.md, end point 3). */
const LIST_URL = '/users/{userId}/containers';

/** What is known in a run about the containers that a user has. */
export class ExistingContainers {
	private readonly inDoubt = new Set<string>();

	/** @param byName an envelope for each name */
	constructor(private readonly byName: Map<string, IDataObject>) {}

	/**
	 * Finds the container of a name, with a new look at the list where that is in doubt.
	 *
	 * @param name the exact name
	 * @param lookAgain reads the list anew
	 * @returns its envelope; undefined when there is none
	 * @throws NodeApiError when the list cannot be read
	 */
	async find(
		name: string,
		lookAgain: () => Promise<Map<string, IDataObject>>,
	): Promise<IDataObject | undefined> {
		if (!this.inDoubt.has(name)) return this.byName.get(name);
		const found = (await lookAgain()).get(name);
		this.inDoubt.delete(name);
		if (found !== undefined) this.byName.set(name, found);
		return found;
	}

	/** Notes what was made, for later items of the same name. */
	add(name: string, envelope: IDataObject): void {
		this.byName.set(name, envelope);
	}

	/** Notes that a container may have been made although the answer was lost. */
	doubt(name: string): void {
		this.inDoubt.add(name);
	}
}

/**
 * What is known about the containers of a user: the list is read once a run.
 *
 * @param call the item's means of sending
 * @param target whose containers
 * @throws NodeApiError when the list cannot be read
 */
export async function existingContainers(call: Call, target: Target): Promise<ExistingContainers> {
	return await call.run.once(
		`containers of ${target.userId ?? ''}`,
		async () => new ExistingContainers(await readContainers(call, target)),
	);
}

/**
 * Reads the list of containers.
 *
 * @param call the item's means of sending
 * @param target whose containers
 * @returns an envelope for each name, the first of the list where several share it
 * @throws NodeApiError when it cannot be read
 */
export async function readContainers(
	call: Call,
	target: Target,
): Promise<Map<string, IDataObject>> {
	const path = await pathOf(call, target, LIST_URL);
	const entries = await fetchAllPages(
		call.client,
		{ method: 'GET', path, action: 'list the containers' },
		Number.POSITIVE_INFINITY,
	);
	const byName = new Map<string, IDataObject>();
	for (const entry of entries.filter(isRecord)) {
		const { name } = getContainerIdentity(entry);
		if (name !== undefined && !byName.has(name)) byName.set(name, toEnvelope(entry));
	}
	return byName;
}

/** Encode answers an envelope, and so does a container that is reused, whatever form the list has. */
function toEnvelope(entry: IDataObject): IDataObject {
	if (isRecord(entry.container)) return entry;
	const { org_id: owner, ...container } = entry;
	return { ...(owner === undefined ? {} : { org_id: owner }), container };
}
