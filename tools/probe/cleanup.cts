import { getContainerIdentity } from '../../nodes/shared/api/records.ts';
import { getPageInfo } from '../../nodes/shared/responses/pageInfo.ts';
import { isRecord } from '../../nodes/shared/responses/shapes.ts';
import { parseJson } from './recorder.cts';
import type { Send } from './send.cts';
import type { Owned, Step, WalkOptions } from './walk.cts';

/** What the service did not delete, in words. */
export type Leftover = string;

const LOOKUPS = 3;
const LOOKUP_PAUSE_MS = 2000;
/** Enough for a list of any account that is not itself a fault. */
const MAX_PAGES = 1000;

/**
 * Ends access to the container and deletes it and the contact, however far the walk came. It finds a container whose
 * ID never arrived by its name, which no other container has.
 */
export async function cleanUp(
	{ owned, credential, send, log }: WalkOptions,
	steps: Step[],
): Promise<Leftover[]> {
	const list = async () => await listByName(owned, credential.baseUrl, send);
	const leftovers: Leftover[] = [];
	const attempt = async (what: string, work: () => Promise<void>) => {
		try {
			await work();
		} catch (error) {
			leftovers.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
		}
	};
	if (owned.isContainerSent && !isDeleted(steps, 'deleteContainer')) {
		await attempt(`container "${owned.containerName}"`, async () => {
			for (const id of await findContainers(owned, steps, list)) {
				const path = `/containers/${encodeURIComponent(id)}`;
				await endAccess(path, send);
				await remove(path, send);
				log(`Deleted container ${id}`);
			}
		});
	}
	if (owned.isContactSent && !isDeleted(steps, 'deleteContact')) {
		await attempt(`contact ${owned.email}`, async () => {
			const { userId, email } = owned;
			await remove(
				`/users/${encodeURIComponent(userId)}/contacts/${encodeURIComponent(email)}`,
				send,
			);
			log('Deleted the contact');
		});
	}
	return leftovers;
}

function isDeleted(steps: Step[], id: string): boolean {
	const outcome = steps.find((step) => step.id === id)?.outcome;
	return outcome !== undefined && outcome.error === undefined;
}

/** The list is needed where the ID is unknown, or where the service may have created the container twice. */
async function findContainers(
	{ containerId }: Owned,
	steps: Step[],
	list: () => Promise<string[]>,
): Promise<string[]> {
	const uploads = steps.find(({ id }) => id === 'encode')?.exchanges ?? [];
	const last = uploads.at(-1);
	const isCreated = last !== undefined && last.status < 300;
	const isRefused = last !== undefined && last.status >= 400 && last.status < 500;
	if (containerId !== undefined && uploads.length === 1) return [containerId];
	const known = containerId === undefined ? [] : [containerId];
	for (let lookup = 1; ; lookup += 1) {
		const ids = [...new Set([...known, ...(await list())])];
		// An upload that was cut off can still arrive.
		if (ids.length > 0 || isRefused) return ids;
		if (lookup === LOOKUPS && isCreated) throw new Error('it is not in the list of containers');
		if (lookup === LOOKUPS) return [];
		await new Promise((resolve) => setTimeout(resolve, LOOKUP_PAUSE_MS));
	}
}

async function listByName(
	{ userId, containerName }: Owned,
	baseUrl: string,
	send: Send,
): Promise<string[]> {
	const ids: string[] = [];
	let url: string | undefined = `${baseUrl}/users/${encodeURIComponent(userId)}/containers`;
	for (let page = 1; url !== undefined && page <= MAX_PAGES; page += 1) {
		const { status, headers, text } = await send('GET', url);
		if (status >= 300) throw new Error(`the list of containers has status ${status}`);
		const body = parseJson(text);
		ids.push(...findByName(body, containerName));
		const { nextUrl } = getPageInfo({ status, headers, value: body, entries: [] });
		url = nextUrl === undefined ? undefined : new URL(nextUrl, url).href;
	}
	return ids;
}

/** The IDs of all records with a name, wherever they are in a response. */
function findByName(value: unknown, wanted: string): string[] {
	if (Array.isArray(value)) return value.flatMap((entry) => findByName(entry, wanted));
	if (!isRecord(value)) return [];
	const { id, name } = getContainerIdentity(value);
	if (name === wanted && id !== undefined) return [id];
	return Object.values(value).flatMap((child) => findByName(child, wanted));
}

/** Deleting the container ends access as well; this is for the case that it can't be deleted. */
async function endAccess(path: string, send: Send): Promise<void> {
	const end = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
	await send('PATCH', `${path}/drm`, { dynamic: true, time: { end } }).catch(() => undefined);
}

/** @throws when the service says that the record still exists, or nothing */
async function remove(path: string, send: Send): Promise<void> {
	const { status } = await send('DELETE', path);
	if (status < 300 || status === 404 || status === 410) return;
	throw new Error(`DELETE has status ${status}`);
}
