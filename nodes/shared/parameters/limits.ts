import type { IDataObject } from 'n8n-workflow';

import { limitOptions } from '../descriptions/options';
import { parseInteger } from './scalars';

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
