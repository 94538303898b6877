import type { IBinaryData, IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { isObject, isRecord } from '../../../../shared/responses/shapes';
import type { Item } from '../../../execution/item';

/** The nodes that an expression names: `$('Read')`, `$node["Read"]`, `$items("Read")`. */
const NODE_NAME = /\$(?:\(|items\(|node\[)\s*(["'`])((?:(?!\1)[^\\]|\\.)*)\1/g;

/**
 * Checks that a stored file belongs to this execution: a reference can come from a form or a webhook, and n8n opens the
 * files of any workflow by it.
 *
 * @throws UserError for a reference that is not in the binary data of this item, or of an earlier node
 */
export function assertOwnFile(item: Item, { id }: IBinaryData): void {
	// Without an ID, the file has its content with it.
	if (id === undefined || id === '') return;
	const isInJson = isBinaryInJson(item);
	const hasIt = (other: unknown) => hasFile(other, id, isInJson);
	if (hasIt(item.input) || listNodeItems(item).some(hasIt)) return;
	throw new UserError('"Input Binary Field" contains a file that this execution did not read', {
		description:
			"A file by reference must be in the binary data of the input item or of an earlier node. Use an expression that returns it from there, such as {{ $('Read').item.binary.data }}.",
	});
}

/** The setting that moves files into the JSON of items; n8n 1 does not know it. */
export function isBinaryInJson({ host }: Item): boolean {
	return host.context.getWorkflowSettings?.().binaryMode === 'combined';
}

function hasFile(item: unknown, id: string, isInJson: boolean): boolean {
	if (!isObject(item)) return false;
	// What is there in any other workflow was not put there by n8n, but by whoever sent the JSON.
	const files = isInJson && isObject(item.json) ? item.json._files : undefined;
	return [item.binary, files].some(
		(held) =>
			isObject(held) && Object.values(held).some((file) => isObject(file) && file.id === id),
	);
}

/** The items of the nodes before this one, and of those that the expression names. */
function listNodeItems(item: Item): unknown[] {
	const { context } = item.host;
	const raw = String(JSON.stringify(item.getRawParameter('binaryPropertyName'))).replaceAll(
		'\\"',
		'"',
	);
	const named = [...raw.matchAll(NODE_NAME)].map(([, , name]) => name);
	const before = context.getParentNodes(context.getNode().name).map(({ name }) => name);
	const proxy = context.getWorkflowDataProxy(item.index);
	return [...new Set([...named, ...before])].flatMap((name): unknown[] => {
		try {
			return proxy.$(name).all() as unknown[];
		} catch {
			// The node did not run.
			return [];
		}
	});
}

/** Where n8n puts the files of an item when a workflow keeps them in the JSON (setting `binaryMode`). */
const FILES_IN_JSON = '_files';

/** The files of an item that n8n put into its JSON, and those beside it, by field. */
export function mergeBinaryFields({ json, binary }: INodeExecutionData): IBinaryKeyData {
	const files = isRecord(json[FILES_IN_JSON]) ? json[FILES_IN_JSON] : {};
	const inJson = Object.entries(files).filter(([, value]) => isBinaryReference(value));
	return { ...(Object.fromEntries(inJson) as IBinaryKeyData), ...binary };
}

/** A file in the JSON of an item by its path, such as `_files.data` or `attachments[0]`. */
export function findBinaryByPath(json: object, path: string): IBinaryData | undefined {
	const keys = path.replace(/\[(\w+)\]/g, '.$1').split('.');
	const value = keys.reduce<unknown>(
		(parent, key) => (isObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined),
		json,
	);
	return isBinaryReference(value) ? value : undefined;
}

/** Whether a value is a file, as an expression such as `$('Read').item.binary.data` returns it. */
export function isBinaryReference(value: unknown): value is IBinaryData {
	return isObject(value) && 'mimeType' in value;
}
