import type { INode } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { isExpression } from '../../shared/parameters/expressions';
import { isObject } from '../../shared/responses/shapes';

/** Characters as JavaScript can write them in a name or text: `\u0024`, `\u{24}`, `\x24`, `\44`, or a line end in a text. */
const ESCAPE = /\\(?:u\{0*([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})|([0-7]{1,3})|(\r?\n|.))/giu;

/** The execution or try for which the parameters were checked, with what was found. */
const checked = new WeakMap<object, UserError | undefined>();

/**
 * Checks that no expression of the node names `$credentials`: n8n evaluates all parameters of a declarative node with it
 * at hand, before any code of the node runs (docs/reports/credentials-in-expressions.md).
 *
 * @param run what the items have in common: the parameters are checked once for all of them
 * @throws UserError naming the parameter
 */
export function assertNoCredentialExpressions(context: { getNode(): INode }, run: object): void {
	if (!checked.has(run)) checked.set(run, findCredentialExpression(context.getNode().parameters));
	const found = checked.get(run);
	if (found !== undefined) throw found;
}

/** @param parameters as the workflow stores them */
export function findCredentialExpression(parameters: object): UserError | undefined {
	const open: Array<{ value: unknown; path: string[] }> = [{ value: parameters, path: [] }];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const { value, path } = next;
		if (isObject(value)) {
			for (const key of Object.keys(value)) open.push({ value: value[key], path: [...path, key] });
		} else if (isExpression(value) && namesCredentials(value)) {
			return new UserError(`The parameter "${path.join(' > ')}" uses $credentials`, {
				description:
					'The expression could show the API key to everyone who can open this workflow or its executions. Remove $credentials from it. The node adds the API key to its requests by itself.',
			});
		}
	}
	return undefined;
}

function namesCredentials(expression: string): boolean {
	const text = expression.replace(
		ESCAPE,
		(
			found: string,
			braced: string | undefined,
			long: string | undefined,
			short: string | undefined,
			octal: string | undefined,
			other: string,
		) => {
			const code = braced ?? long ?? short;
			if (code !== undefined) return toCharacter(Number.parseInt(code, 16), found);
			if (octal !== undefined) return toCharacter(Number.parseInt(octal, 8), found);
			return other.endsWith('\n') ? '' : other;
		},
	);
	return expression.includes('$credentials') || text.includes('$credentials');
}

function toCharacter(code: number, fallback: string): string {
	return code <= 0x10ffff ? String.fromCodePoint(code) : fallback;
}
