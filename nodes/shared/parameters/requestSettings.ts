import type { IDataObject } from 'n8n-workflow';

import { limitOptions } from '../descriptions/options';
import { parseInteger, parseShortText } from './scalars';

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

/** @param seconds that a whole response can take, where they are others than usual */
export function getRequestLimits(options: IDataObject, seconds?: number) {
	const parse = (option: keyof typeof limitOptions, preset?: number) => {
		const { displayName, typeOptions, default: usual } = limitOptions[option];
		const value = Object.hasOwn(options, option) ? options[option] : (preset ?? usual);
		return parseInteger(value, displayName, typeOptions.minValue, typeOptions.maxValue);
	};
	return {
		maxConcurrent: parse('maxConcurrent'),
		maxRetries: parse('maxRetries'),
		/** Milliseconds. */
		responseTimeout: parse('responseTimeout', seconds) * 1000,
	};
}
