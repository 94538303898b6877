import { CONTAINER_LIST, fetchEntries, type ListEntry } from '../../../../shared/api/lists';
import type { Call } from '../../../execution/operation';

/** The containers of a user by name: a service can have several of one name. */
type ContainersByName = Map<string, ListEntry[]>;

/** The lists of an execution, by user: nodes can run many times in a loop. */
const lists = new WeakMap<object, Map<string, Promise<ContainersByName>>>();

/** The containers with a name, the latest that this execution created first. */
export async function findContainers(call: Call, name: string): Promise<ListEntry[]> {
	const [ownLists, key] = [getLists(call), await getKey(call)];
	const list = ownLists.get(key) ?? fetchContainers(call);
	ownLists.set(key, list);
	list.catch(() => ownLists.delete(key));
	return (await list).get(toNameKey(name)) ?? [];
}

/** Adds a new container to the list of this execution, where it was read. */
export async function addContainer(call: Call, container: ListEntry): Promise<void> {
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
	const containers = await fetchEntries(call.client, CONTAINER_LIST, userId);
	for (const container of containers.reverse()) addTo(byName, container);
	return byName;
}

function addTo(byName: ContainersByName, container: ListEntry): void {
	const key = toNameKey(container.name ?? '');
	byName.set(key, [container, ...(byName.get(key) ?? [])]);
}
