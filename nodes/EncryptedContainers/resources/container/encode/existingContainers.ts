import type { IDataObject } from 'n8n-workflow';

import { CONTAINER_LIST, fetchList } from '../../../../shared/api/lists';
import { getContainerIdentity } from '../../../../shared/api/records';
import { getListedId } from '../../commonOperations';
import type { Call } from '../../../execution/operation';

export interface Existing {
	id: string;
	name: string;
	record: IDataObject;
}

/** The containers of a user by name: a service can have several of one name. */
type ContainersByName = Map<string, Existing[]>;

/** The lists of an execution, by user: nodes can run many times in a loop. */
const lists = new WeakMap<object, Map<string, Promise<ContainersByName>>>();

/** The containers with a name, the latest that this execution created first. */
export async function findContainers(call: Call, name: string): Promise<Existing[]> {
	const [ownLists, key] = [getLists(call), await getKey(call)];
	const list = ownLists.get(key) ?? fetchContainers(call);
	ownLists.set(key, list);
	list.catch(() => ownLists.delete(key));
	return (await list).get(toNameKey(name)) ?? [];
}

/** Adds a new container to the list of this execution, where it was read. */
export async function addContainer(call: Call, container: Existing): Promise<void> {
	const list = await getLists(call).get(await getKey(call));
	if (list !== undefined) addTo(list, container);
}

/** Reads the list again the next time. */
export async function forgetContainers(call: Call): Promise<void> {
	getLists(call).delete(await getKey(call));
}

/** Services can store a name in another Unicode form than a file name has on macOS, and without spaces around it. */
export function toNameKey(name: string): string {
	return name.normalize().trim();
}

function getLists({ item }: Call) {
	const execution = item.host.context.getContext('flow');
	const ownLists = lists.get(execution) ?? new Map<string, Promise<ContainersByName>>();
	lists.set(execution, ownLists);
	return ownLists;
}

async function getKey(call: Call): Promise<string> {
	return call.getSharedKey(await call.getUserId());
}

async function fetchContainers(call: Call): Promise<ContainersByName> {
	const byName: ContainersByName = new Map();
	const userId = await call.getUserId();
	const records = await fetchList(call.client, CONTAINER_LIST, userId, { needs: 'name' });
	for (const record of records.reverse()) {
		const { name } = getContainerIdentity(record);
		if (name !== undefined) addTo(byName, { id: getListedId(call.client, record), name, record });
	}
	return byName;
}

function addTo(byName: ContainersByName, container: Existing): void {
	const key = toNameKey(container.name);
	byName.set(key, [container, ...(byName.get(key) ?? [])]);
}
