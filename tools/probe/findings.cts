import { isRecord } from '../../nodes/shared/responses/shapes.ts';
import { loadDocument } from '../../sandbox/contract.cts';
import { parseJson, REQUIRED_STEPS, type Exchange, type Step } from './walk.cts';

/**
 * Where an open point shows: in the responses to some steps, in fields of their records, or in headers of these or all
 * responses.
 */
interface Check {
	steps: string[];
	/** The values of these fields are shown in place of the responses. */
	fields?: string[];
	headers?: RegExp;
}

/** Steps by their IDs. */
const of = (steps: string): Check => ({ steps: steps.split(' ') });
const inFields = (fields: string, steps: string): Check => ({
	fields: fields.split(' '),
	...of(steps),
});
const inHeaders = (headers: RegExp, ...steps: string[]): Check => ({ headers, steps });

const REFUSALS = 'wrongKey unknownContainer unknownUser deletedContact';

/** By the ID of the open point in docs/openapi.yaml. The others can't be tried with one container and one contact. */
export const CHECKS: Record<string, Check> = {
	'service: States of a container and the transitions between them': inFields(
		'state status',
		'encode container deletedContainer',
	),
	'service: The success status of each operation': { steps: REQUIRED_STEPS },
	'service: Rate limits, and limits on the size and number of files':
		inHeaders(/rate-?limit|retry-after/),
	'service: How long v1 is supported and how it is deprecated': inHeaders(
		/deprecation|sunset|version/,
	),
	'encodeFiles: How many files a container can hold, and how large they can be': of('encode'),
	'listContainers: Pagination': inHeaders(/^link$/, 'containers'),
	'getContainer: Which details there are, and whether they come in an envelope': of('container'),
	'updateDrmRules: Whether rules that the request leaves out stay as they are': inFields(
		'opens recipients time geo',
		'allRules afterPartOfRules',
	),
	'updateDrmRules: The response to a change of rules': of('update'),
	'listContacts: Pagination and order': inHeaders(/^link$/, 'contacts'),
	'getContact: The form of the response': of('contactRecord'),
	'upsertContact: Which fields a contact can have': inFields(
		'probe_field',
		'otherField afterOtherField',
	),
	'upsertContact: Whether fields that the request leaves out stay as they are': inFields(
		'company first_name',
		'contactRecord afterPartOfContact',
	),
	'upsertContact: The response, and whether a new contact has another status':
		of('contact partOfContact'),
	'apiKey: Which users can reach the containers and contacts of other users': of('unknownUser'),
	'apiKey: When a key expires, and how it is revoked': of('wrongKey'),
	'Query: Which parameters there are': of('containersByName contactsByEmail'),
	'Link: Whether the service sends it': inHeaders(/^link$/),
	'Deleted: The response to a deletion': of('deleteContainer deleteContact'),
	'Error: Which status and which code stand for which failure': inFields(
		'code error type',
		REFUSALS,
	),
	'Error: The form of an error body': of(REFUSALS),
	'User: The possible roles': inFields('role', 'user'),
	'User: The other fields of a user': of('user'),
	'Container: The other fields of a container': of('container'),
	'ContainerList: The form of the list': of('containers'),
	'ContainerList: The form of an entry': of('containers'),
	'ManifestContainer: Which fields are required': of('encode'),
	'DrmRulesResponse: The form of the response': of('rules'),
	'DrmRulesResponse: Fields besides the rules': of('rules'),
	'GeoRules: Whether the service supports blocked places': inFields('block', 'geoBlock'),
	'GeoRules: Everything but the list of allowed countries': inFields('geo', 'allRules'),
	'GeoRule: Which country codes the service uses': inFields('country', 'geoAllow allRules'),
	'GeoRule: The finer fields': inFields('geo', 'geoFiner allRules'),
	'IpRules: The form of the object and of its entries': inFields('ip', 'ip ipBlock'),
	'AccessWindow: Whether responses can also show timestamps': inFields('time', 'start allRules'),
	'Contact: All fields of a contact': of('contactRecord'),
	'ContactList: The form of the list and of its entries': of('contacts'),
};

/** The open points in the order of docs/openapi.yaml: what is unknown where, and what the nodes do there. */
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
export async function createReport(steps: Step[]): Promise<string> {
	// tsx can load an ES module such as markdown-table only with import().
	const { markdownTable } = await import('markdown-table');
	const rows = readOpenPoints().map(({ id, node }) => {
		const check = CHECKS[id];
		const outcome = check?.steps.map((step) => describeOutcome(steps, step)).join('; ');
		const service = check === undefined ? 'Not tried' : describeService(steps, check);
		const cells = [id, service, outcome || `By the contract: ${node}`];
		return cells.map((cell) => cell.replace(/\s+/g, ' ').replace(/\|/g, '\\|'));
	});
	const table = [['Open point', 'This service', 'What the node makes of it'], ...rows];
	return markdownTable(table, { alignDelimiters: false });
}

function describeService(steps: Step[], { steps: ids, fields, headers }: Check): string {
	const shown = ids.length === 0 ? steps : steps.filter(({ id }) => ids.includes(id));
	if (headers !== undefined) {
		const exchanges = shown.flatMap((step) => step.exchanges);
		const names = exchanges.flatMap((exchange) => Object.keys(exchange.headers));
		const found = [...new Set(names)].filter((name) => headers.test(name)).join(', ') || 'none';
		const refused = exchanges.filter(({ status }) => status === 429).length;
		return `Headers: ${found}; ${exchanges.length} requests, ${refused} of them refused with 429`;
	}
	const texts = shown.map(({ id, exchanges }) => {
		const answer = exchanges.findLast(({ method }) => method !== 'GET') ?? exchanges.at(-1);
		if (answer === undefined) return `${id}: no response`;
		if (fields === undefined) return `${id}: ${describeAnswer(answer)}`;
		const body = parseJson(answer.text);
		const values = fields.map((name) => `${name}: ${quote(findField(body, name))}`);
		return `${id}: ${answer.status}, ${values.join(', ')}`;
	});
	return texts.join('; ') || 'Not seen';
}

function describeAnswer({ status, headers, text }: Exchange): string {
	const [type] = (headers['content-type'] ?? 'no content type').split(';');
	const json = parseJson(text);
	if (text === '') return `${status} without a body`;
	const shape = json === undefined ? `of ${text.length} characters` : describeShape(json);
	return `${status} ${type} ${shape}`;
}

function describeOutcome(steps: Step[], id: string): string {
	const step = steps.find((one) => one.id === id);
	if (step === undefined) return `${id}: not run`;
	const { items, error } = step;
	if (error !== undefined) return `${id}: the error "${error.message.replace(/ \[item 0\]$/, '')}"`;
	const [item] = items;
	return items.length === 1
		? `${id}: 1 item ${describeShape(item, 1)}`
		: `${id}: ${items.length} items`;
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

/** A short value of the probe's own records. */
function quote(value: unknown): string {
	const text = JSON.stringify(value) ?? 'not in the response';
	return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
