import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { parseChoice } from '../../../shared/parameters/scalars';
import type { Item } from '../../execution/item';

/** A field with a list of choices. */
export interface ChoiceField<Value extends string> extends INodeProperties {
	options: Array<INodePropertyOptions & { value: Value }>;
}

/** @throws UserError for another value than those of the list */
export function parseChoiceField<Value extends string>(
	item: Pick<Item, 'getParameter'>,
	{ name, displayName, options }: ChoiceField<Value>,
): Value {
	return parseChoice(item.getParameter(name), displayName, options);
}
