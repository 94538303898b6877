import { UserError, type IDataObject } from 'n8n-workflow';

import { userIdOption } from '../descriptions/options';
import { describeValue, isExpression, MAX_LENGTHS } from '../parameters/values';

/** Builds an encoded path below the base URL. @throws UserError about the service: what users enter is parsed before */
export function buildPath(segments: string[]): string {
	const texts = segments.map((segment) => segment.trim());
	const problem = texts.map(findProblem).find(Boolean);
	if (problem === undefined) return texts.map((text) => `/${encodeURIComponent(text)}`).join('');
	throw new UserError(`The service returned an ID that can't be used: it ${problem}`, {
		description: 'Report this to the operator of the service.',
	});
}

export function isPathSegment(text: string): boolean {
	return findProblem(text.trim()) === undefined;
}

/** Why no encoding keeps a text in its place in a path. */
function findProblem(text: string): string | undefined {
	if (text === '') return 'is empty';
	if (text.length > MAX_LENGTHS.id) return `is longer than ${MAX_LENGTHS.id} characters`;
	// A URL drops these two as steps in the path, and proxies may decode a slash: the request would go somewhere else.
	if (text === '.' || text === '..') return `can't be "${text}"`;
	if (/[/\\]/.test(text)) return 'contains a slash or a backslash';
	return /[\p{Cc}\p{Cs}]/u.test(text) ? "contains a character that can't be sent" : undefined;
}

/** @throws UserError when no encoding keeps it in its place in a path */
export function parseId(value: unknown, label: string): string {
	const entered = value ?? '';
	if (typeof entered !== 'string' && !Number.isSafeInteger(entered)) {
		const digits = typeof value === 'number' ? ' Numbers of more than 15 digits lose digits.' : '';
		throw new UserError(`"${label}" is not text`, {
			description: `${describeValue(value)} Enter the value as text in "${label}", or use an expression that returns text.${digits}`,
		});
	}
	const text = String(entered).trim();
	const problem = findProblem(text);
	if (problem === undefined) return text;
	throw new UserError(`"${label}" ${problem}`, {
		description:
			text === ''
				? `Enter a value in "${label}". If it comes from an expression, check that the field exists in the input item.`
				: `Enter only the ID or the email address in "${label}", as the service shows it: not a URL or a path, and without line breaks.`,
	});
}

/**
 * Parses the option for the user to act for: undefined for that of the API key, where it was not added or left empty.
 *
 * @param raw the options as the workflow stores them
 * @throws UserError when its expression returned nothing, so that the node never acts for another user than was meant
 */
export function parseUserId(options: IDataObject, raw: unknown): string | undefined {
	const { name, displayName } = userIdOption;
	if (!Object.hasOwn(options, name)) return undefined;
	const value = options[name];
	const isEmpty = typeof value === 'string' && value.trim() === '';
	if (isEmpty && !isExpression((raw as IDataObject | undefined)?.[name])) return undefined;
	return parseId(value, displayName);
}
