import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { sortByDisplayName } from '../../shared/descriptions/options';

/** The fields of one operation, in the order of the form. */
export interface OperationFields {
	resource: string;
	operation: string;
	fields: INodeProperties[];
}

interface SharedField {
	field: INodeProperties;
	/** The operations that have it; of a collection, with their own members. */
	operations: OperationFields[];
}

/**
 * Combines fields that several operations have in common, because n8n evaluates all properties of a name for each item,
 * shown or not. Collections are combined by their members. A field that differs between operations stays separate.
 *
 * @param root what leads from a field to the node's parameters in display options
 */
export function mergeFields(all: OperationFields[], root = ''): INodeProperties[] {
	const merged: SharedField[] = [];
	for (const operation of all) {
		let position = 0;
		for (const field of operation.fields) {
			const fields = field.options as INodeProperties[];
			const found = merged.findIndex((other) => isSameField(other.field, field));
			if (found === -1) merged.splice(position, 0, { field, operations: [] });
			else position = found;
			merged[position].operations.push({ ...operation, fields });
			position += 1;
		}
	}
	return merged.flatMap(({ field, operations }) =>
		getDisplayOptions(operations, all, root).flatMap((options) =>
			updateDisplayOptions(options, [mergeMembers(field, operations)]),
		),
	);
}

function mergeMembers(field: INodeProperties, operations: OperationFields[]): INodeProperties {
	if (field.type !== 'collection' || operations.length === 1) return field;
	return { ...field, options: sortByDisplayName(mergeFields(operations, '/')) };
}

function isSameField(one: INodeProperties, other: INodeProperties): boolean {
	const toText = (field: INodeProperties) =>
		JSON.stringify(field.type === 'collection' ? { ...field, options: undefined } : field);
	return one.name === other.name && toText(one) === toText(other);
}

/**
 * Display options show a field for each combination of their resources and operations. Where that is more than the
 * operations that have it, each resource needs a field of its own.
 */
function getDisplayOptions(
	some: OperationFields[],
	all: OperationFields[],
	root: string,
): IDisplayOptions[] {
	if (some.length === all.length) return [{}];
	const resources = [...new Set(some.map(({ resource }) => resource))];
	const operations = [...new Set(some.map(({ operation }) => operation))];
	const shown = all.filter(
		({ resource, operation }) => resources.includes(resource) && operations.includes(operation),
	);
	if (shown.length === some.length) {
		return [{ show: { [`${root}resource`]: resources, [`${root}operation`]: operations } }];
	}
	return resources.flatMap((name) => {
		const own = some.filter(({ resource }) => resource === name);
		return getDisplayOptions(own, all, root);
	});
}
