import { createHash } from 'node:crypto';
import type { ServiceResponse } from './responses.cts';
import { invalid, jsonResponse } from './responses.cts';
import type { SandboxSettings } from './settings.cts';
import type { Rules, StoredContact, StoredContainer } from './store.cts';

type Fields = Record<string, unknown>;

/** A container as responses show it: neither its password nor its rules. */
export function containerRecord(container: StoredContainer, settings: SandboxSettings): Fields {
	return {
		uuid: container.uuid,
		name: container.name,
		owner_id: container.userId,
		file_count: container.files.length,
		size: container.files.reduce((sum, file) => sum + file.size, 0),
		...dates(container, settings),
		...settings.containerFields,
	};
}

/** `ContainerEnvelope` of the contract: for a user's container, `org_id` is the user. */
export function containerEnvelope(container: StoredContainer, settings: SandboxSettings) {
	return { org_id: container.userId, container: containerRecord(container, settings) };
}

export function contactRecord(contact: StoredContact, settings: SandboxSettings): Fields {
	return { email: contact.email, ...contact.fields, ...dates(contact, settings) };
}

/** Rules as responses show them: bare, or under the key that `drmShape` names. */
export function rulesRecord(rules: Rules, settings: SandboxSettings): Fields {
	const record = { ...formatTimes(rules, settings), ...settings.drmFields };
	return settings.drmShape === 'bare' ? record : { [settings.drmShape]: record };
}

const TIME_OF_DAY: Record<string, string> = { start: '00:00:00.000Z', end: '23:59:59.000Z' };

function formatTimes(rules: Rules, { drmTimes }: SandboxSettings): Rules {
	if (drmTimes === 'date' || rules.time === undefined) return rules;
	const edges = Object.entries(rules.time as Record<string, string>);
	const time = edges.map(([edge, day]) => [
		edge,
		day.includes('T') ? day : `${day}T${TIME_OF_DAY[edge]}`,
	]);
	return { ...rules, time: Object.fromEntries(time) };
}

/** Timestamps keep the form of the contract (milliseconds and Z), however coarse they are. */
function dates(record: { created: string; updated: string }, settings: SandboxSettings): Fields {
	if (settings.dates === 'none') return {};
	const format = (timestamp: string) =>
		settings.dates === 'seconds' ? timestamp.replace(/\.\d+/, '.000') : timestamp;
	return { created_date: format(record.created), updated_date: format(record.updated) };
}

interface ListedEntry {
	/** Identifies the entry. */
	key: string;
	/** The fields that a query can filter by. */
	fields: Record<string, unknown>;
	/** The entry in the response. */
	value: unknown;
}

const CURSOR = 'cursor';

/**
 * A list, ordered, filtered, paged and shaped as the settings say. Each page but the last links to the next one
 * (RFC 8288).
 *
 * @param url of the request, as clients reach the service
 * @throws ServiceError 400 for a cursor that isn't from this service
 */
export function listResponse(
	entries: ListedEntry[],
	{ url, settings, status }: { url: URL; settings: SandboxSettings; status: number },
	shape: SandboxSettings['containerList'],
): ServiceResponse {
	const sorted = sort(settings.filterByQuery ? filter(entries, url) : entries, settings);
	const start = parseCursor(url.searchParams.get(CURSOR));
	const end = settings.pageSize > 0 ? start + settings.pageSize : sorted.length;
	const page = sorted.slice(start, end).map((entry) => entry.value);
	const body = shape === 'array' ? page : { [shape]: page, count: page.length };
	const response = jsonResponse(status, body);
	if (end >= sorted.length) return response;
	const query = new URLSearchParams(url.searchParams);
	query.set(CURSOR, Buffer.from(`after:${end}`).toString('base64url'));
	const origin = settings.nextLink === 'absolute' ? url.origin : '';
	return { ...response, headers: { link: `<${origin}${url.pathname}?${query}>; rel="next"` } };
}

function sort(entries: ListedEntry[], { listOrder }: SandboxSettings): ListedEntry[] {
	if (listOrder === 'created') return entries;
	if (listOrder === 'reversed') return [...entries].reverse();
	const hash = ({ key }: ListedEntry) => createHash('sha256').update(key).digest('hex');
	return [...entries].sort((one, other) => hash(one).localeCompare(hash(other)));
}

function filter(entries: ListedEntry[], url: URL): ListedEntry[] {
	const wanted = [...url.searchParams].filter(([name]) => name !== CURSOR);
	return entries.filter(({ fields }) =>
		wanted.every(([name, value]) => !Object.hasOwn(fields, name) || String(fields[name]) === value),
	);
}

function parseCursor(cursor: string | null): number {
	if (cursor === null) return 0;
	const match = /^after:(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString());
	if (match === null) throw invalid('The cursor is not valid');
	return Number(match[1]);
}
