import { UserError } from 'n8n-workflow';

import { listLimits, queryOption, userIdOption } from '../descriptions/options';
import type { Parameters } from './fields';
import { parseId } from './ids';
import { parseShortText } from './values';

export type QueryParameters = Array<[name: string, value: string]>;

/** In the links from page to page. */
export const SET_FOR_PAGES = ['cursor'];

/** The user to act for: undefined for that of the API key. */
export function readUserId(parameters: Parameters): string | undefined {
	const id = parameters.read(userIdOption);
	return id === '' ? undefined : parseId(id, userIdOption.displayName);
}

/**
 * The names and values of *Query Parameters*; a row without a name doesn't count.
 *
 * @param setByNode names that nobody else can set
 */
export function readQuery(parameters: Parameters, setByNode = SET_FOR_PAGES): QueryParameters {
	const rows = parameters
		.read(queryOption)
		.map(({ name, value }): QueryParameters[0] => [
			parseShortText(name, 'Query Parameters > Name').trim(),
			parseShortText(value, 'Query Parameters > Value'),
		]);
	for (const [name] of rows) {
		if (!setByNode.includes(name)) continue;
		throw new UserError(`The node sets the query parameter "${name}" itself`, {
			description: `Nothing was sent. Remove "${name}" from "${queryOption.displayName}".`,
		});
	}
	return rows.filter(([name]) => name !== '');
}

/** @param seconds that a whole response can take, where they are others than usual */
export function readLimits(parameters: Parameters, seconds?: number) {
	const limits = listLimits(seconds).map((limit) => parameters.read(limit));
	const [maxConcurrent, maxRetries, timeout] = limits;
	// In milliseconds.
	return { maxConcurrent, maxRetries, responseTimeout: timeout * 1000 };
}
