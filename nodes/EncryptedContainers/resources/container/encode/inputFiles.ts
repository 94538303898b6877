import {
	UserError,
	type IBinaryData,
	type IBinaryKeyData,
	type INodeExecutionData,
} from 'n8n-workflow';

import {
	emptyError,
	listSome,
	parseChoiceField,
	parseList,
	parseShortText,
	parseText,
	toMoment,
} from '../../../../shared/parameters/values';
import { isObject } from '../../../../shared/responses/shapes';
import { choiceField, simpleField } from '../../../descriptions/commonFields';
import type { Host } from '../../../execution/execution';
import type { Item } from '../../../execution/item';
import { createTextFile, toSourceFile, type SourceFile } from './sourceFiles';

const LABEL = 'Input Binary Field';

const fileSourceField = choiceField(
	['File Source', 'fileSource', 'named'],
	{
		all: ['All Binary Fields', 'All files of the input item'],
		named: ['Named Binary Fields', 'The files in the binary fields that you name'],
		text: ['Text', 'Text that you enter or create with an expression. No input file is needed.'],
	},
	'Where the files come from',
	{ noDataExpression: true, displayOptions: { show: { '@tool': [false] } } },
);
const shownForText = { displayOptions: { show: { fileSource: ['text'] } } };

export const fileFields = [
	fileSourceField,
	{
		...fileSourceField,
		// As the tool of an agent, the node has no input item.
		options: fileSourceField.options.filter(({ value }) => value !== 'all'),
		default: 'text',
		displayOptions: { show: { '@tool': [true] } },
	},
	simpleField(
		[LABEL, 'binaryPropertyName', 'data'],
		"Separate multiple names with commas. An expression can also return files, such as {{ $('Read').item.binary.data }}.",
		{
			required: true,
			placeholder: 'e.g. data',
			builderHint: { propertyHint: 'The name of the field, usually data, and not its content' },
			hint: 'The name of the input field containing the file to be encrypted',
			displayOptions: { show: { fileSource: ['named'] } },
		},
	),
	simpleField(['Text', 'textContent', ''], 'Content of the file, sent as UTF-8', {
		typeOptions: { rows: 4 },
		placeholder: 'e.g. Quarterly report: revenue grew by 4 %.',
		...shownForText,
	}),
	simpleField(
		['File Name', 'textFileName', 'text.txt'],
		'The extension (.txt, .csv, .html, .md) sets the file type',
		{ required: true, placeholder: 'e.g. report.txt', ...shownForText },
	),
];

export function getItemFiles(item: Item): SourceFile[] {
	const fields = getBinaryFields(item.input, item.host);
	const source = parseChoiceField(item, fileSourceField);
	if (source !== 'text') {
		return getFiles(fields, source === 'all' ? Object.keys(fields) : listEntries(item));
	}
	const name = parseShortText(item.getParameter('textFileName'), 'File Name');
	return [createTextFile(getFileText(item), name)];
}

/** The files in named fields and those that an expression returned. @throws UserError that lists the fields of the item */
export function getFiles(fields: IBinaryKeyData, entries: Array<string | IBinaryData>) {
	const names = Object.keys(fields).map((field) => `"${field}"`);
	const needsField = entries.length === 0 || entries.some((entry) => typeof entry === 'string');
	if (needsField && names.length === 0) {
		throw new UserError('The input has no file', {
			description: 'Add a node that provides one, or set "File Source" to Text.',
		});
	}
	const description = `Enter one of the item's binary fields in "${LABEL}": ${listSome(names)}.`;
	if (entries.length === 0) throw new UserError(`"${LABEL}" is empty`, { description });
	return entries.map((entry) => {
		if (typeof entry !== 'string') return toSourceFile('file', entry);
		// As n8n writes the path of a file that is in the JSON.
		const field = Object.hasOwn(fields, entry) ? entry : entry.replace(/^_files\./, '');
		if (Object.hasOwn(fields, field)) return toSourceFile(field, fields[field]);
		throw new UserError(`The input item has no binary field "${entry}"`, { description });
	});
}

/** Names of fields, and files that an expression returned. A text is never a file. */
function listEntries(item: Item): Array<string | IBinaryData> {
	const values: unknown[] = [item.getParameter('binaryPropertyName')].flat();
	const entries = values.flatMap((value): Array<string | IBinaryData> => {
		if (!isBinaryReference(value)) return parseList(value, LABEL);
		assertOwnFile(item, value);
		return [value];
	});
	return [...new Set(entries)];
}

/** The content of a text file. An expression can also return a report as an object or a list. */
function getFileText(item: Item): string {
	const value = item.getParameter('textContent', undefined);
	const isJson = isObject(value) && toMoment(value) === undefined;
	const text = isJson ? JSON.stringify(value, null, 2) : parseText(value, 'Text');
	if (text === '') throw emptyError('Text', 'Enter the content of the file in "Text".');
	return text;
}

/** A reference can come from a form or a webhook, and n8n opens the files of any workflow by it. @throws UserError */
function assertOwnFile(item: Item, { id }: IBinaryData): void {
	// Without an ID, the file has its content with it.
	if (!id || listIds(item.input, item.host).includes(id) || listKnownFiles(item).has(id)) return;
	throw new UserError(`"${LABEL}" contains a file that this execution did not read`, {
		description:
			"A file by reference must be in the binary data of the input item or of an earlier node. Use an expression that returns it from there, such as {{ $('Read').item.binary.data }}.",
	});
}

/** The files by ID that the nodes before this one returned, or before the agent whose tool it is: the same for all items. */
const knownFiles = new WeakMap<Host, Set<string>>();

function listKnownFiles({ host, index }: Item): Set<string> {
	const known = knownFiles.get(host);
	if (known !== undefined) return known;
	const { context, node } = host;
	const proxy = context.getWorkflowDataProxy(index);
	const { name: previous } = proxy.$prevNode as { name?: string };
	const last = previous === undefined ? [] : [previous];
	const before = [node.name, ...last].flatMap((name) => context.getParentNodes(name));
	const ids = [...last, ...before.map(({ name }) => name)].flatMap((name) => {
		try {
			const items = proxy.$(name).all() as INodeExecutionData[];
			return items.flatMap((item) => listIds(item, host));
		} catch {
			// The node did not run.
			return [];
		}
	});
	const found = new Set(ids);
	knownFiles.set(host, found);
	return found;
}

function listIds(item: INodeExecutionData, host: Host): string[] {
	return Object.values(getBinaryFields(item, host)).flatMap((file) => file?.id ?? []);
}

/** The files of an item by field. `_files` counts only where n8n puts it into the JSON, not whoever sent the JSON. */
function getBinaryFields({ json, binary }: INodeExecutionData, { context }: Host): IBinaryKeyData {
	// n8n 1 does not know the setting.
	const isInJson = context.getWorkflowSettings?.().binaryMode === 'combined';
	const files = isInJson && isObject(json._files) ? json._files : {};
	const inJson = Object.entries(files).filter(([, value]) => isBinaryReference(value));
	return { ...(Object.fromEntries(inJson) as IBinaryKeyData), ...binary };
}

/** Whether a value is a file, as an expression such as `$('Read').item.binary.data` returns it. */
function isBinaryReference(value: unknown): value is IBinaryData {
	return isObject(value) && 'mimeType' in value;
}
