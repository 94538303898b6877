import type { INodeParameters } from 'n8n-workflow';
import type { Outcome } from './node.cts';
import { parseJson, type Exchange } from './recorder.cts';
import { BASE_URL, getBasePath, type Redactor } from './redactor.cts';
import type { Owned, Step } from './walk.cts';

/** A response in a file: the body is JSON, or text. */
interface SavedExchange {
	method: string;
	path: string;
	status: number;
	headers: Record<string, string>;
	body: unknown;
}

interface SavedStep {
	id: string;
	/** Undefined for a request that the node does not send. */
	parameters?: INodeParameters;
	exchanges: SavedExchange[];
	/** What the node returned, of lists the records of the run only. */
	items?: unknown;
	/** The HTTP code of the node's error, or `none`. */
	error?: string;
}

/** What one service answered, without what identifies it. */
export interface Fixture {
	baseUrl: string;
	steps: SavedStep[];
}

/** The other headers change nothing for the node. */
const KEPT_HEADERS = ['content-type', 'link', 'location', 'retry-after'];
const LISTS = ['containers', 'containersByName', 'contacts', 'contactsByEmail'];
const COUNT_KEY = /^(total|count|size|length|x?total_?(count|items|results|elements)?)$/i;

/** @returns the steps in which the service responded, without what identifies it and without records of others */
export function toFixture(steps: Step[], owned: Owned, redactor: Redactor): Fixture {
	const user = parseJson(steps.find(({ id }) => id === 'user')?.exchanges.at(-1)?.text ?? '');
	if (typeof user === 'object' && user !== null) redactor.learn(user);
	const saved = steps.map(({ id, parameters, exchanges, outcome }): SavedStep => {
		const isList = LISTS.includes(id);
		const final = exchanges.filter(
			(exchange, index) => !isRepeated(exchange, exchanges[index + 1]),
		);
		return {
			id,
			...(parameters === undefined ? {} : { parameters: redactParameters(parameters, redactor) }),
			exchanges: final.map((exchange, index) => {
				const isLast = index === final.length - 1;
				const reduce = (body: unknown) => (isList ? keepOwn(body, owned, isLast) : body);
				return toSaved(exchange, redactor, reduce, isList && isLast);
			}),
			...toResult(outcome, redactor, (items) => (isList ? keepOwn(items, owned, true) : items)),
		};
	});
	return { baseUrl: BASE_URL, steps: saved.filter(({ exchanges }) => exchanges.length > 0) };
}

function toResult(
	outcome: Outcome | undefined,
	redactor: Redactor,
	reduce: (items: unknown) => unknown,
): Pick<SavedStep, 'items' | 'error'> {
	if (outcome === undefined) return {};
	const { items, error } = outcome;
	return error === undefined
		? { items: redactor.json(reduce(items)) }
		: { error: error.httpCode ?? 'none' };
}

/** @returns the file, with a line for each step */
export function formatFixture({ baseUrl, steps }: Fixture): string {
	const lines = steps.map((step) => JSON.stringify(step)).join(',\n');
	return `{"baseUrl":${JSON.stringify(baseUrl)},"steps":[\n${lines}\n]}\n`;
}

/** The node sends a request again while the service is busy; the wait would be repeated with it. */
function isRepeated({ method, path, status }: Exchange, next: Exchange | undefined): boolean {
	return (status === 429 || status >= 500) && next?.method === method && next.path === path;
}

function redactParameters(parameters: INodeParameters, redactor: Redactor): INodeParameters {
	return JSON.parse(JSON.stringify(parameters), (_key, value: unknown) =>
		typeof value === 'string' ? redactor.text(value) : value,
	) as INodeParameters;
}

function toSaved(
	{ method, path, status, headers, text }: Exchange,
	redactor: Redactor,
	reduce: (body: unknown) => unknown,
	isLast: boolean,
): SavedExchange {
	const json = parseJson(text);
	const isJson = typeof json === 'object' && json !== null;
	const isHtml = !isJson && /<html/i.test(text);
	return {
		method,
		path: redactor.text(path).slice(getBasePath(BASE_URL).length),
		status,
		headers: Object.fromEntries(
			Object.entries(headers)
				.filter(([name]) => KEPT_HEADERS.includes(name) && !(isLast && name === 'link'))
				.map(([name, value]) => [name, redactor.text(value)]),
		),
		body: isJson
			? redactor.json(reduce(json))
			: isHtml
				? '<html><title>Removed</title></html>'
				: redactor.text(text),
	};
}

/**
 * Only the entries of this run are kept. A count is that of the kept entries, and the last page has no next one: the
 * node stopped there.
 */
function keepOwn(body: unknown, owned: Owned, isLast: boolean): unknown {
	if (Array.isArray(body)) return body.filter((entry) => isOwn(entry, owned));
	if (typeof body !== 'object' || body === null) return body;
	const entries = Object.entries(body).map(([key, value]) => {
		if (isLast && /next/i.test(key)) return [key, null];
		if (isLast && /more/i.test(key)) return [key, false];
		return [key, keepOwn(value, owned, isLast)];
	});
	const reduced = Object.fromEntries(entries) as Record<string, unknown>;
	const list = Object.values(reduced).find(Array.isArray);
	for (const key of Object.keys(reduced)) {
		if (list !== undefined && COUNT_KEY.test(key)) reduced[key] = list.length;
	}
	return reduced;
}

function isOwn(entry: unknown, { marker, containerId }: Owned): boolean {
	const text = JSON.stringify(entry);
	return text.includes(marker) || (containerId !== undefined && text.includes(`"${containerId}"`));
}
