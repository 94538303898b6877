import type { IDataObject } from 'n8n-workflow';

import { CONTAINER_LIST, fetchList } from '../../../../shared/api/lists';
import { getContainerIdentity } from '../../../../shared/api/records';
import { RecentValues } from '../../../../shared/client/recentValues';
import { isRecord } from '../../../../shared/responses/shapes';
import type { Call } from '../../../execution/operation';

/** How long a list counts, and how long this process knows what it created, in milliseconds. */
const MAX_AGE = 600_000;

type ContainerList = Awaited<ReturnType<typeof fetchContainers>>;

/** What this process created lately, by user and name: a list can lag behind. Null where that is not certain. */
const created = new RecentValues<IDataObject | null>(MAX_AGE);

/** The lists of an execution, by user: nodes can run many times in a loop. */
const lists = new WeakMap<object, Map<string, ContainerList>>();

export async function rememberContainer(call: Call, name: string, envelope?: IDataObject) {
	const key = await getKey(call, toNameKey(name));
	created.set(key, envelope ?? null, JSON.stringify(envelope ?? null).length * 2);
}

/** The envelopes of the containers with a name; the one that this process created comes first. */
export async function* findContainers(call: Call, name: string): AsyncGenerator<IDataObject> {
	const nameKey = toNameKey(name);
	const known = created.get(await getKey(call, nameKey));
	if (known) yield known;
	// Whether it was created, or what came after it was deleted, only a new list can show.
	const { byName } = await getList(call, known !== undefined);
	yield* byName.get(nameKey) ?? [];
}

/** Services can store a name in another Unicode form than a file name has on macOS, and without spaces around it. */
export function toNameKey(name: string): string {
	return name.normalize().trim();
}

/** Of a name, or of the whole list of the user. */
async function getKey(call: Call, nameKey = ''): Promise<string> {
	return call.getSharedKey(`${await call.getUserId()} ${nameKey}`);
}

async function getList(call: Call, mustBeNew: boolean): Promise<ContainerList> {
	const execution = call.item.host.context.getContext('flow');
	const ownLists = lists.get(execution) ?? new Map<string, ContainerList>();
	lists.set(execution, ownLists);
	const key = await getKey(call);
	const fetch = async () => {
		const list = await fetchContainers(call);
		ownLists.set(key, list);
		return list;
	};
	if (mustBeNew) return await fetch();
	const known = ownLists.get(key);
	if (known !== undefined && Date.now() - known.at <= MAX_AGE) return known;
	return await call.run.tries.memoize(`${key} ${known?.at}`, fetch);
}

/** A user's containers by name, several where the service has several of one name, and when they were listed. */
async function fetchContainers(call: Call) {
	const userId = await call.getUserId();
	const byName = new Map<string, IDataObject[]>();
	const records = await fetchList(call.client, CONTAINER_LIST, userId);
	for (const record of records) {
		const { name } = getContainerIdentity(record);
		if (name === undefined) continue;
		const key = toNameKey(name);
		const known = byName.get(key) ?? [];
		known.push(toEnvelope(record));
		byName.set(key, known);
	}
	return { at: Date.now(), byName };
}

/** Reusing a container returns an envelope, as encode does, whatever form the list has. */
function toEnvelope(record: IDataObject): IDataObject {
	if (isRecord(record.container)) return record;
	const { org_id, ...container } = record;
	return org_id === undefined ? { container } : { org_id, container };
}
