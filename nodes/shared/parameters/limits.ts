import type { IDataObject } from 'n8n-workflow';

import { limitOptions } from '../descriptions/options';
import { parseInteger, parseOption } from './scalars';

/** How many requests run at a time, how often one is retried, and how many milliseconds a whole response can take. */
export interface RequestLimits {
	maxConcurrent: number;
	maxRetries: number;
	responseTimeout: number;
}

/** @param responseTimeout seconds, where the limit is another one than usual */
export function getRequestLimits(
	options: IDataObject,
	responseTimeout: number = limitOptions.responseTimeout.default,
): RequestLimits {
	const parse = (name: keyof typeof limitOptions, preset: number = limitOptions[name].default) => {
		const { displayName, typeOptions } = limitOptions[name];
		return parseOption(options, name, preset, (value) =>
			parseInteger(value, displayName, typeOptions.minValue, typeOptions.maxValue),
		);
	};
	return {
		maxConcurrent: parse('maxConcurrent'),
		maxRetries: parse('maxRetries'),
		responseTimeout: parse('responseTimeout', responseTimeout) * 1000,
	};
}
