import { parseDate } from '../../../nodes/shared/parameters/dates';
import { parseAddresses, parseList } from '../../../nodes/shared/parameters/lists';
import {
	parseBoolean,
	parseChoice,
	parseInteger,
	parseText,
} from '../../../nodes/shared/parameters/scalars';

export const label = 'The Field';
const choices = [
	{ name: 'Make One', value: 'create' },
	{ name: 'Fail', value: 'fail' },
];

/** The kinds of fields, and what parses each. */
export const kinds = {
	text: (value: unknown) => parseText(value, label),
	boolean: (value: unknown) => parseBoolean(value, label),
	integer: (value: unknown) => parseInteger(value, label, 0),
	choice: (value: unknown) => parseChoice(value, label, choices),
	list: (value: unknown) => parseList(value, label),
	addresses: (value: unknown) => parseAddresses(value, label),
	date: (value: unknown) => parseDate(value, label, 'Europe/Zurich'),
};

export type Kind = keyof typeof kinds;
