import type { IDataObject } from 'n8n-workflow';

import { userIdOption } from '../descriptions/options';
import { isExpression } from '../parameters/expressions';
import { parseId } from './path';

/**
 * Parses the option for the user to act for.
 *
 * @param raw the options as the workflow stores them
 * @returns undefined for the user of the API key: when the option was not added, or was left empty
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
