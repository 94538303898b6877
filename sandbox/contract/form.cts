import type { Check } from './check.cts';
import type { MediaType, Schema } from './document.cts';
import { mediaType } from '../http/partHeaders.cts';

/** One part of a form, as far as the contract describes it. */
export interface FormPart {
	name: string;
	/** The Content-Type of the part; empty when it has none. */
	type: string;
	/** The content of a JSON part. The contract says nothing about the content of files. */
	text?: string;
}

const JSON_TYPE = 'application/json';
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

/** @returns what is wrong with the parts of a form: their names, counts, media types and JSON content */
export function checkForm(
	parts: FormPart[],
	{ schema, encoding = {} }: MediaType,
	check: Check,
): string[] {
	const problems: string[] = [];
	const values = new Map<string, unknown[]>();
	for (const { name, type, text = '' } of parts) {
		const expected = Object.hasOwn(encoding, name) ? encoding[name].contentType : '*/*';
		if (!matches(mediaType(type), expected)) {
			problems.push(`form.${name} must be of type ${expected}`);
			continue;
		}
		try {
			const value: unknown = expected === JSON_TYPE ? JSON.parse(text) : '';
			values.set(name, [...(values.get(name) ?? []), value]);
		} catch (error) {
			problems.push(`form.${name} is not JSON: ${(error as Error).message}`);
		}
	}
	if (problems.length > 0) return problems;
	const properties = new Map(Object.entries(schema.properties as Record<string, Schema>));
	const form = [...values].map(([name, all]): [string, unknown] => {
		if (properties.get(name)?.type === 'array') return [name, all];
		if (all.length > 1) problems.push(`form.${name} must be one part, not ${all.length}`);
		return [name, all[0]];
	});
	return [...problems, ...check(schema, Object.fromEntries(form), 'form')];
}

function matches(type: string, expected: string): boolean {
	return expected === '*/*' ? MEDIA_TYPE.test(type) : type === expected;
}
