import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { assertLength, describeValue, type LengthKind, toMoment } from './values';

// What each parser accepts, typed or from an expression, is in the unit tests (kinds). Anything else is a UserError.

export interface Choice<Value extends string> extends INodePropertyOptions {
	value: Value;
}

export interface ChoiceField<Value extends string> extends INodeProperties {
	options: Array<Choice<Value>>;
}

export function parseText(value: unknown, label: string): string {
	if (typeof value === 'string') return value;
	const isPlain = typeof value === 'boolean' || Number.isFinite(value);
	const text = isPlain ? String(value) : toMoment(value)?.toISOString();
	if (text !== undefined) return text;
	throw new UserError(`"${label}" is ${(value ?? null) === null ? 'empty' : 'not text'}`, {
		description: `${describeValue(value)} Enter text in "${label}". If it comes from an expression, check that the field exists in the input item.`,
	});
}

/** As parseText, for all but the content of a file. */
export function parseShortText(value: unknown, label: string, kind: LengthKind = 'name'): string {
	const text = parseText(value, label);
	assertLength(text, kind, label);
	return text;
}

export function parseInteger(value: unknown, label: string, min: number, max = Infinity): number {
	const isText = typeof value === 'string' && /^\s*-?\d+\s*$/.test(value);
	const number = (isText ? Number(value) : value) as number;
	if (Number.isSafeInteger(number) && number >= min && number <= max) return number;
	const range = max === Infinity ? `${min} or more` : `from ${min} to ${max}`;
	throw new UserError(`"${label}" must be a whole number, ${range}`, {
		description: `${describeValue(value)} Enter a whole number, ${range}, in "${label}".`,
	});
}

export function parseBoolean(value: unknown, label: string): boolean {
	const text = String(value).trim().toLowerCase();
	if (text === 'true' || text === 'false') return text === 'true';
	throw new UserError(`"${label}" must be true or false`, {
		description: `${describeValue(value)} Turn "${label}" on or off, or use an expression that returns true or false.`,
	});
}

export function parseChoice<Value extends string>(
	value: unknown,
	label: string,
	choices: ReadonlyArray<Choice<Value>>,
): Value {
	const text = String(value).trim().toLowerCase();
	const found = choices.find((choice) =>
		[choice.value, choice.name].some((form) => form.toLowerCase() === text),
	);
	if (found !== undefined) return found.value;
	const listed = choices.map((choice) => `${choice.value} (${choice.name})`).join(', ');
	throw new UserError(`"${label}" has an unknown value`, {
		description: `${describeValue(value)} Choose from the list in "${label}", or use an expression that returns one of: ${listed}.`,
	});
}

export function parseChoiceField<Value extends string>(
	item: { getParameter(name: string): unknown },
	{ name, displayName, options }: ChoiceField<Value>,
): Value {
	return parseChoice(item.getParameter(name), displayName, options);
}

/** Parses an option of a collection, if it was added; an added one whose expression returns nothing is an error. */
export function parseOption<T>(
	options: IDataObject,
	name: string,
	fallback: T,
	parse: (value: unknown) => T,
): T {
	return Object.hasOwn(options, name) ? parse(options[name]) : fallback;
}
