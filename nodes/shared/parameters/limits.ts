import type { IDataObject } from 'n8n-workflow';

import { limitOptions } from '../descriptions/limits';
import { parseInteger, parseOption } from './scalars';

/** How many requests run at a time, and how often one is retried. */
export interface RequestLimits {
	maxConcurrent: number;
	maxRetries: number;
}

/** @throws UserError when a limit is not a whole number within its bounds */
export function getRequestLimits(options: IDataObject): RequestLimits {
	const parse = (name: keyof typeof limitOptions) => {
		const { displayName, typeOptions, default: preset } = limitOptions[name];
		const { minValue, maxValue } = typeOptions;
		return parseOption(options, name, preset, (value) =>
			parseInteger(value, displayName, minValue, maxValue),
		);
	};
	return { maxConcurrent: parse('maxConcurrent'), maxRetries: parse('maxRetries') };
}
