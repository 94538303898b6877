import type { IDataObject, INode } from 'n8n-workflow';

import { userIdOption } from '../descriptions/options';
import { isExpression } from '../parameters/expressions';
import { parseId } from './path';

/**
 * Parses the option for the user to act for.
 *
 * @returns undefined for the user of the API key: when the option was not added, or was left empty
 * @throws UserError when its expression returned nothing, so that the node never acts for another user than was meant
 */
export function parseUserId(node: INode, options: IDataObject): string | undefined {
	const { name, displayName } = userIdOption;
	if (!Object.hasOwn(options, name)) return undefined;
	const value = options[name];
	const isEmpty = typeof value === 'string' && value.trim() === '';
	const { options: raw } = node.parameters as { options?: IDataObject };
	if (isEmpty && !isExpression(raw?.[name])) return undefined;
	return parseId(value, displayName);
}
