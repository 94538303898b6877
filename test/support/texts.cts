import { parse } from 'yaml';

/** The lines of a template, without the indentation of the code: what users read, as a whole. */
function linesOf(parts: TemplateStringsArray, ...values: string[]): string[] {
	return String.raw({ raw: parts }, ...values)
		.trim()
		.split(/\n\s*/);
}

/** A tag for the message and the description of an error: a row of a table, with what fails. */
export const failing =
	<Case,>(what: Case) =>
	(parts: TemplateStringsArray, ...values: string[]) => {
		const [message, description] = linesOf(parts, ...values);
		return { what, message, description };
	};

/** The rows of a table of values, in YAML: each line has a name and a value. */
export function rowsOf<Value>(yaml: string): Array<[string, Value]> {
	return Object.entries(parse(yaml.replaceAll('\t', '  ')) as Record<string, Value>);
}
