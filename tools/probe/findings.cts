import { isRecord } from '../../nodes/shared/responses/shapes.ts';
import { loadDocument } from '../../sandbox/contract.cts';
import { parseJson, REQUIRED_STEPS, type Exchange, type Step } from './walk.cts';

const REFUSALS = 'wrongKey unknownContainer unknownUser deletedContact';

/**
 * By the beginning of an open point in sandbox/openapi.yaml: the steps whose responses show it (all, if there are none),
 * and its fields or headers in place of the whole responses. The other open points can't be tried with one container
 * and one contact.
 */
export const CHECKS: Record<string, [steps: string, shown?: string | RegExp]> = {
	'service: States': ['encode container deletedContainer', 'state status'],
	'service: The success status': [REQUIRED_STEPS.join(' ')],
	'service: Rate limits': ['', /rate-?limit|retry-after/],
	'service: How long': ['', /deprecation|sunset|version/],
	'encodeFiles: How many': ['encode'],
	'listContainers: Pagination': ['containers', /^link$/],
	'getContainer: Which details': ['container'],
	'updateDrmRules: Whether': ['allRules afterPartOfRules', 'opens recipients time geo'],
	'updateDrmRules: The response': ['update'],
	'listContacts: Pagination': ['contacts', /^link$/],
	'getContact: The form': ['contactRecord'],
	'upsertContact: Which fields': ['otherField afterOtherField', 'probe_field'],
	'upsertContact: Whether': ['contactRecord afterPartOfContact', 'company first_name'],
	'upsertContact: The response': ['contact partOfContact'],
	'apiKey: Which users': ['unknownUser'],
	'apiKey: When': ['wrongKey'],
	'Query: Which': ['containersByName contactsByEmail'],
	'Link: Whether': ['', /^link$/],
	'Deleted: The response': ['deleteContainer deleteContact'],
	'Error: Which status': [REFUSALS, 'code error type'],
	'Error: The form': [REFUSALS],
	'User: The possible roles': ['user', 'role'],
	'User: The other fields': ['user'],
	'Container: The other fields': ['container'],
	'ContainerList: The form of the list': ['containers'],
	'ContainerList: The form of an entry': ['containers'],
	'ManifestContainer: Which fields': ['encode'],
	'DrmRulesResponse: The form': ['rules'],
	'DrmRulesResponse: Fields': ['rules'],
	'GeoRules: Whether': ['geoBlock', 'block'],
	'GeoRules: Everything': ['allRules', 'geo'],
	'GeoRule: Which country codes': ['geoAllow allRules', 'country'],
	'GeoRule: The finer fields': ['geoFiner allRules', 'geo'],
	'IpRules: The form': ['ip ipBlock', 'ip'],
	'AccessWindow: Whether': ['start allRules', 'time'],
	'Contact: All fields': ['contactRecord'],
	'ContactList: The form': ['contacts'],
};

/** The open points in the order of sandbox/openapi.yaml: what is unknown where, and what the nodes do there. */
export function readOpenPoints(value: unknown = loadDocument(), place = 'service') {
	if (typeof value !== 'object' || value === null) return [];
	const here = (value as { operationId?: string }).operationId ?? place;
	return Object.entries(value).flatMap(([key, child]): Array<{ id: string; node: string }> => {
		// Operations name themselves; a component has the name below its kind (`schemas`), and a property that of its key.
		const isNamed = /^[A-Z][A-Za-z]*$/.test(key) || key === 'apiKey';
		if (key !== 'x-open') return readOpenPoints(child, isNamed ? key : here);
		const points = child as Array<{ unknown: string; node: string }>;
		return points.map(({ unknown, node }) => ({ id: `${here}: ${unknown}`, node }));
	});
}

/** The table of all open points, as Markdown. */
export async function createReport(all: Step[]): Promise<string> {
	// tsx can load an ES module such as markdown-table only with import().
	const { markdownTable } = await import('markdown-table');
	const rows = readOpenPoints().map(({ id, node }) => {
		const [, check] = Object.entries(CHECKS).find(([start]) => id.startsWith(start)) ?? [];
		const ids = check?.[0].split(' ').filter(Boolean) ?? [];
		const steps = ids.length === 0 ? all : all.filter((step) => ids.includes(step.id));
		const service = check === undefined ? 'Not tried' : describeService(steps, check[1]);
		const outcomes = ids.map((one) => describeOutcome(one, all));
		const cells = [id, service, outcomes.join('; ') || `By the contract: ${node}`];
		return cells.map((cell) => cell.replace(/\s+/g, ' ').replace(/\|/g, '\\|'));
	});
	const table = [['Open point', 'This service', 'What the node makes of it'], ...rows];
	return markdownTable(table, { alignDelimiters: false });
}

function describeService(steps: Step[], shown?: string | RegExp): string {
	if (shown instanceof RegExp) {
		const exchanges = steps.flatMap((step) => step.exchanges);
		const names = new Set(exchanges.flatMap(({ headers }) => Object.keys(headers)));
		const found = [...names].filter((name) => shown.test(name)).join(', ') || 'none';
		const refused = exchanges.filter(({ status }) => status === 429).length;
		return `Headers: ${found}; ${exchanges.length} requests, ${refused} of them refused with 429`;
	}
	const texts = steps.map(({ id, exchanges }) => {
		const answer = exchanges.findLast(({ method }) => method !== 'GET') ?? exchanges.at(-1);
		return `${id}: ${answer === undefined ? 'no response' : describeAnswer(answer, shown)}`;
	});
	return texts.join('; ') || 'Not seen';
}

function describeAnswer({ status, headers, text }: Exchange, fields?: string): string {
	const json = parseJson(text);
	if (fields !== undefined) {
		const values = fields.split(' ').map((name) => {
			const value = JSON.stringify(findField(json, name)) ?? 'not in the response';
			return `${name}: ${value.slice(0, 160)}`;
		});
		return [status, ...values].join(', ');
	}
	if (text === '') return `${status} without a body`;
	const [type] = (headers['content-type'] ?? 'no content type').split(';');
	const shape = json === null ? `of ${text.length} characters` : describeShape(json);
	return `${status} ${type} ${shape}`;
}

function describeOutcome(id: string, steps: Step[]): string {
	const { items, error } = steps.find((one) => one.id === id) ?? {};
	if (error !== undefined) return `${id}: the error "${error.message.replace(/ \[item 0\]$/, '')}"`;
	return `${id}: ${items === undefined ? 'not run' : describeShape(items)}`;
}

/** The names of fields, two levels deep; never a value. */
function describeShape(value: unknown, depth = 2): string {
	if (Array.isArray(value)) {
		const first = value.length === 0 ? '' : ` of ${describeShape(value[0], depth - 1)}`;
		return `list (${value.length})${first}`;
	}
	if (!isRecord(value)) return value === null ? 'null' : typeof value;
	if (depth < 1) return '{ … }';
	const fields = Object.entries(value).map(([key, child]) => {
		// A key can be data, such as the name of a person.
		const name = /^[@\w.$-]{1,40}$/.test(key) && !/\d{4}|@./.test(key) ? key : '…';
		const isNested = depth > 1 && typeof child === 'object' && child !== null;
		return isNested ? `${name}: ${describeShape(child, depth - 1)}` : name;
	});
	return `{ ${fields.join(', ')} }`;
}

/** The value of the first field with this name, at any depth. */
function findField(value: unknown, name: string): unknown {
	if (typeof value !== 'object' || value === null) return undefined;
	if (!Array.isArray(value) && Object.hasOwn(value, name)) return (value as never)[name];
	const children = Object.values(value).map((child) => findField(child, name));
	return children.find((found) => found !== undefined);
}
