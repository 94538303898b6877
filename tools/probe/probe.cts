import { randomBytes } from 'node:crypto';
import { EnvHttpProxyAgent, RetryAgent } from 'undici';
import { getContainerIdentity } from '../../nodes/shared/api/records.ts';
import { getPageInfo } from '../../nodes/shared/responses/pageInfo.ts';
import { isRecord } from '../../nodes/shared/responses/shapes.ts';
import type { ApiCredentials } from '../engine/credentials.cts';
import { createReport } from './findings.cts';
import {
	parseJson,
	REQUIRED_STEPS,
	walk,
	type Owned,
	type Step,
	type WalkOptions,
} from './walk.cts';

export interface ProbeResult {
	report: string;
	/** Operations with which the node failed or which did not run. */
	failed: string[];
	/** What the service did not delete, in words. */
	leftovers: string[];
	/** Why the walk ended early. */
	error?: string;
}

/** Walks all operations on a container and a contact of its own, deletes both, and reports. */
export async function probe(options: Omit<WalkOptions, 'owned'>): Promise<ProbeResult> {
	const { baseUrl, apiKey } = options.credential;
	const marker = randomBytes(8).toString('hex');
	const owned: Owned = {
		containerName: `n8n probe ${marker} (can be deleted)`,
		email: `n8n-probe-${marker}@example.com`,
		userId: '',
	};
	/** Without what identifies the service and its user. */
	const redact = (text: string) => {
		const { host, hostname } = new URL(baseUrl);
		const secrets = [apiKey, baseUrl, host, hostname, owned.containerId, owned.userId];
		return secrets.reduce<string>((all, one) => (one ? all.replaceAll(one, '…') : all), text);
	};
	const walkOptions = { ...options, owned, log: (text: string) => options.log(redact(text)) };
	const steps: Step[] = [];
	let error: string | undefined;
	try {
		await walk(walkOptions, steps);
	} catch (reason) {
		error = redact((reason as Error).message);
	}
	const leftovers = await cleanUp(walkOptions, steps);
	const succeeded = steps.filter(({ outcome }) => outcome.error === undefined);
	const failed = REQUIRED_STEPS.filter((id) => !succeeded.some((step) => step.id === id));
	return { report: redact(await createReport(steps)), failed, leftovers, error };
}

/** Sends a request without the node, again if the service is busy or the connection breaks. */
type Send = (
	method: 'GET' | 'PATCH' | 'DELETE',
	/** Below the base URL, or an absolute URL. */
	path: string,
	json?: object,
) => Promise<{ status: number; headers: Record<string, string>; text: string }>;

function createSender(agent: RetryAgent, { baseUrl, apiKey }: ApiCredentials): Send {
	return async (method, path, json) => {
		const url = new URL(path.startsWith('/') ? `${baseUrl}${path}` : path);
		if (url.origin !== new URL(baseUrl).origin) throw new Error('a link leads to another host');
		const { statusCode, headers, body } = await agent.request({
			...{ origin: url.origin, path: url.pathname + url.search, method },
			headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
			body: json && JSON.stringify(json),
		});
		const text = await body.text();
		return { status: statusCode, headers: headers as Record<string, string>, text };
	};
}

const LOOKUPS = 3;
const LOOKUP_PAUSE_MS = 2000;
/** Enough for a list of any account that is not itself a fault. */
const MAX_PAGES = 1000;

/**
 * Ends access to the container and deletes it and the contact, however far the walk came. It finds a container whose
 * ID never arrived by its name, which no other container has.
 * @returns what the service did not delete, in words
 */
async function cleanUp({ owned, credential, log }: WalkOptions, steps: Step[]): Promise<string[]> {
	const timeouts = { headersTimeout: 30_000, bodyTimeout: 30_000 };
	const agent = new RetryAgent(new EnvHttpProxyAgent(timeouts), {
		methods: ['GET', 'PATCH', 'DELETE'],
		maxRetries: 4,
		maxTimeout: 65_000,
	});
	const send = createSender(agent, credential);
	const find = (id: string) => steps.find((step) => step.id === id);
	const wasDeleted = (id: string) => {
		const deletion = find(id);
		return deletion !== undefined && deletion.outcome.error === undefined;
	};
	const leftovers: string[] = [];
	const attempt = async (what: string, work: () => Promise<void>) => {
		await work().catch((error: Error) => leftovers.push(`${what}: ${error.message}`));
	};
	const upload = find('encode');
	if (upload !== undefined && !wasDeleted('deleteContainer')) {
		await attempt(`container "${owned.containerName}"`, async () => {
			for (const id of await findContainers(owned, upload, credential.baseUrl, send)) {
				const path = `/containers/${encodeURIComponent(id)}`;
				// Deleting the container ends access as well; this is for the case that it can't be deleted.
				const end = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
				const rules = { dynamic: true, time: { end } };
				await send('PATCH', `${path}/drm`, rules).catch(() => undefined);
				await remove(path, send);
				log('Deleted the container');
			}
		});
	}
	if (find('contact') !== undefined && !wasDeleted('deleteContact')) {
		const [user, email] = [owned.userId, owned.email].map(encodeURIComponent);
		await attempt(`contact ${owned.email}`, async () => {
			await remove(`/users/${user}/contacts/${email}`, send);
			log('Deleted the contact');
		});
	}
	await agent.destroy();
	return leftovers;
}

/** The list is needed where the ID is unknown, or where the service may have created the container twice. */
async function findContainers(
	owned: Owned,
	{ exchanges }: Step,
	baseUrl: string,
	send: Send,
): Promise<string[]> {
	const known = owned.containerId === undefined ? [] : [owned.containerId];
	if (known.length === 1 && exchanges.length === 1) return known;
	const { status = 0 } = exchanges.at(-1) ?? {};
	for (let lookup = 1; ; lookup += 1) {
		const ids = [...new Set([...known, ...(await listByName(owned, baseUrl, send))])];
		// An upload that was cut off can still arrive.
		if (ids.length > 0 || (status >= 400 && status < 500)) return ids;
		if (lookup === LOOKUPS && status >= 200 && status < 300) {
			throw new Error('it is not in the list of containers');
		}
		if (lookup === LOOKUPS) return [];
		await new Promise((resolve) => setTimeout(resolve, LOOKUP_PAUSE_MS));
	}
}

async function listByName(owned: Owned, baseUrl: string, send: Send): Promise<string[]> {
	const ids: string[] = [];
	let url: string | undefined = `${baseUrl}/users/${encodeURIComponent(owned.userId)}/containers`;
	for (let page = 1; url !== undefined && page <= MAX_PAGES; page += 1) {
		const { status, headers, text } = await send('GET', url);
		if (status >= 300) throw new Error(`the list of containers has status ${status}`);
		const value = parseJson(text);
		ids.push(...findByName(value, owned.containerName));
		const { nextUrl } = getPageInfo({ status, headers, value, entries: [] });
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

/** @throws when the service says that the record still exists, or nothing */
async function remove(path: string, send: Send): Promise<void> {
	const { status } = await send('DELETE', path);
	if (status >= 300 && status !== 404 && status !== 410) {
		throw new Error(`DELETE has status ${status}`);
	}
}
