import type { IDataObject } from 'n8n-workflow';

import { limitOptions } from '../descriptions/options';
import { parseInteger, parseOption } from './scalars';

/** With milliseconds that a whole response can take. */
export type RequestLimits = ReturnType<typeof getRequestLimits>;

/** @param seconds that a whole response can take, where they are others than usual */
export function getRequestLimits(options: IDataObject, seconds?: number) {
	const parse = (name: keyof typeof limitOptions, preset: number = limitOptions[name].default) => {
		const { displayName, typeOptions } = limitOptions[name];
		return parseOption(options, name, preset, (value) =>
			parseInteger(value, displayName, typeOptions.minValue, typeOptions.maxValue),
		);
	};
	return {
		maxConcurrent: parse('maxConcurrent'),
		maxRetries: parse('maxRetries'),
		responseTimeout: parse('responseTimeout', seconds) * 1000,
	};
}
