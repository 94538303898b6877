import { UserError } from 'n8n-workflow';

/** How many characters a value may have: more than any real one, and few enough to be checked and redacted at once. */
export const MAX_LENGTHS = { address: 320, id: 2000, name: 1000, password: 200, url: 2000 };

export type LengthKind = keyof typeof MAX_LENGTHS;

/** @param part what is too long, where it is not the whole field: "An entry" */
export function assertLength(text: string, kind: LengthKind, label: string, part?: string): void {
	const max = MAX_LENGTHS[kind];
	if (text.length <= max) return;
	const subject = part === undefined ? `"${label}"` : `${part} in "${label}"`;
	throw new UserError(`${subject} is longer than ${max} characters`, {
		description: `It has ${text.length} characters. Enter a shorter value in "${label}". If it comes from an expression, check that it returns the right field.`,
	});
}
