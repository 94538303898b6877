import type { IDataObject } from 'n8n-workflow';

import { parseShortText } from './scalars';

export type QueryParameters = Array<[name: string, value: string]>;

/** The names and values of *Query Parameters* among the options; a row without a name doesn't count. */
export function parseQuery(options: IDataObject): QueryParameters {
	const { query } = options as { query?: { parameters?: IDataObject[] } };
	const rows = (query?.parameters ?? []).map(({ name, value }): QueryParameters[0] => [
		parseShortText(name, 'Query Parameters > Name').trim(),
		parseShortText(value, 'Query Parameters > Value', 'url'),
	]);
	return rows.filter(([name]) => name !== '');
}
