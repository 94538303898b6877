import { UserError } from 'n8n-workflow';

/** @throws UserError when the value, also as text, is not a whole number within its bounds */
export function parseInteger(
	value: unknown,
	label: string,
	min: number,
	max = Number.MAX_SAFE_INTEGER,
): number {
	const isText = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value);
	const number = isText ? Number(value) : value;
	if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) {
		return number;
	}
	const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
	throw new UserError(`"${label}" must be a whole number, ${range}`, {
		description: `Enter a whole number, ${range}, in "${label}". The current value is ${describe(value)}.`,
	});
}

/** @throws UserError when the value, also as text, is neither true nor false */
export function parseBoolean(value: unknown, label: string): boolean {
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	throw new UserError(`"${label}" must be true or false`, {
		description: `Turn "${label}" on or off, or use an expression that returns true or false.`,
	});
}

function describe(value: unknown): string {
	if (value === '' || value === undefined || value === null) return 'empty';
	return typeof value === 'object' ? 'a list or an object' : `"${String(value).slice(0, 50)}"`;
}
