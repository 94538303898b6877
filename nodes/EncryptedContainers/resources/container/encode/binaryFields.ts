import type { IBinaryData, IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';

import { isObject, isRecord } from '../../../../shared/responses/shapes';

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
