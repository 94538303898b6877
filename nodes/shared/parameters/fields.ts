import type {
	IDataObject,
	INodeParameters,
	INodeProperties,
	NodePropertyTypes,
} from 'n8n-workflow';

import type { Choice, Field } from '../descriptions/options';
import {
	assertNotEmpty,
	emptyError,
	isExpression,
	parseBoolean,
	parseChoice,
	parseInteger,
	parseList,
	parseShortText,
} from './values';

/** The parameters of a node, as the workflow stores them (`raw`) and evaluated. */
export class Parameters {
	/** @param getParameter evaluates what is at a path such as `options.userId` */
	constructor(
		private readonly raw: INodeParameters,
		readonly getParameter: (path: string, fallback?: unknown) => unknown,
	) {}

	/** Parses the value of a field or an option. An expression that returns nothing is an error. @throws UserError */
	read<T>(field: Field<T>): T {
		const isNeeded = field.required === true || isExpression(this.getRaw(field.name));
		return parseField({ ...field, required: isNeeded }, this.evaluate(field));
	}

	/** The value of a field or an option as it is: its default where the option was not added. */
	evaluate(field: INodeProperties): unknown {
		const { name, default: preset } = field;
		return this.getParameter(this.has(field) ? `options.${name}` : name, preset);
	}

	/** What the workflow stores: an expression unevaluated. */
	getRaw(name: string): unknown {
		return { ...this.raw, ...(this.raw.options as INodeParameters | undefined) }[name];
	}

	/** Whether an option was added. */
	has({ name }: INodeProperties): boolean {
		return Object.hasOwn((this.raw.options ?? {}) as INodeParameters, name);
	}
}

/** Parses a value by the type of its field: a collection, a date and JSON stay as they are. @throws UserError */
export function parseField<T>(field: Field<T>, value: unknown): T {
	const { displayName: label, type, typeOptions: { minValue, maxValue } = {} } = field;
	const choices = field.options as Array<Choice<string>>;
	const parsers: Partial<Record<NodePropertyTypes, () => unknown>> = {
		boolean: () => parseBoolean(value, label),
		fixedCollection: () => (value as IDataObject)[choices[0].name] ?? [],
		multiOptions() {
			const entries = parseList(value, label);
			assertNotEmpty(entries, label);
			return entries.map((entry) => parseChoice(entry, label, choices));
		},
		number: () => parseInteger(value, label, minValue, maxValue),
		options: () => parseChoice(value, label, choices),
		string() {
			const text = parseShortText(value, label).trim();
			if (text !== '' || !field.required) return text;
			throw emptyError(label, `Enter a value in "${label}".`);
		},
	};
	return (type in parsers ? parsers[type]?.() : value) as T;
}
