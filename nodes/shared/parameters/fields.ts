import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';

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
		const { name, displayName: label, required = false } = field;
		const parsed = parseField(field, this.evaluate(field));
		if (parsed !== '' || !(required || isExpression(this.getRaw(name)))) return parsed;
		throw emptyError(label, `Enter a value in "${label}".`);
	}

	/** The value of a field or an option as it is: its default where the option was not added. */
	evaluate(field: INodeProperties): unknown {
		const { name, default: preset } = field;
		return this.getParameter(this.has(field) ? `options.${name}` : name, preset);
	}

	/** What the workflow stores: an expression unevaluated. */
	getRaw(name: string): unknown {
		return this.has({ name }) ? this.options[name] : this.raw[name];
	}

	/** Whether an option was added. */
	has({ name }: Pick<INodeProperties, 'name'>): boolean {
		return Object.hasOwn(this.options, name);
	}

	private get options(): INodeParameters {
		return (this.raw.options ?? {}) as INodeParameters;
	}
}

/** Parses a value by the type of its field: a collection, a date and JSON stay as they are. @throws UserError */
export function parseField<T>(field: Field<T>, value: unknown): T {
	const { displayName: label, typeOptions: { minValue, maxValue } = {} } = field;
	const choices = field.options as Array<Choice<string>>;
	const parse = (): unknown => {
		switch (field.type) {
			case 'boolean':
				return parseBoolean(value, label);
			case 'fixedCollection':
				return (value as IDataObject)[choices[0].name] ?? [];
			case 'multiOptions':
				return parseFilledList(value, label).map((entry) => parseChoice(entry, label, choices));
			case 'number':
				return parseInteger(value, label, minValue, maxValue);
			case 'options':
				return parseChoice(value, label, choices);
			case 'string':
				return parseShortText(value, label).trim();
			default:
				return value;
		}
	};
	return parse() as T;
}

function parseFilledList(value: unknown, label: string): string[] {
	const entries = parseList(value, label);
	assertNotEmpty(entries, label);
	return entries;
}
