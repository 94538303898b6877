import {
	UserError,
	type IBinaryData,
	type IBinaryKeyData,
	type INodeExecutionData,
} from 'n8n-workflow';

import { simpleField } from '../../../../shared/descriptions/options';
import {
	emptyError,
	listSome,
	parseList,
	parseText,
	toMoment,
} from '../../../../shared/parameters/values';
import { isObject } from '../../../../shared/responses/shapes';
import { choiceField } from '../../../descriptions/commonFields';
import type { Host } from '../../../execution/host';
import type { Item } from '../../../execution/item';
import type { SourceFile } from './multipartForm';

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
const ofText = { displayOptions: { show: { fileSource: ['text'] } } };

const textFileNameField = simpleField(
	['File Name', 'textFileName', 'text.txt'],
	'The extension (.txt, .csv, .html, .md) sets the file type',
	{ required: true, placeholder: 'e.g. report.txt', ...ofText },
);

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
		...ofText,
	}),
	textFileNameField,
];

/** Media types by file extension; any other text file is plain text. */
const MEDIA_TYPES = new Map([
	['csv', 'text/csv'],
	['htm', 'text/html'],
	['html', 'text/html'],
	['ics', 'text/calendar'],
	['json', 'application/json'],
	['md', 'text/markdown'],
	['svg', 'image/svg+xml'],
	['xml', 'application/xml'],
]);

export function parseFiles(item: Item): SourceFile[] {
	const source = item.read(fileSourceField);
	if (source === 'text') return [parseTextFile(item)];
	const fields = getBinaryFields(item.input, item.host);
	return pickFiles(fields, source === 'all' ? Object.keys(fields) : parseEntries(item));
}

/** The files in named fields and those that an expression returned. @throws UserError that lists the fields of the item */
export function pickFiles(fields: IBinaryKeyData, entries: Array<string | IBinaryData>) {
	const names = Object.keys(fields).map((field) => `"${field}"`);
	// A form has a field for each of its files.
	const all = names.length > 1 ? ' For all of them, set "File Source" to All Binary Fields.' : '';
	const createError = (message: string) =>
		names.length === 0
			? new UserError('The input has no file', {
					description: 'Add a node that provides one, or set "File Source" to Text.',
				})
			: new UserError(message, {
					description: `Enter one of the item's binary fields in "${LABEL}": ${listSome(names)}.${all}`,
				});
	if (entries.length === 0) throw createError(`"${LABEL}" is empty`);
	return entries.map((entry) => {
		if (typeof entry !== 'string') return toSourceFile('file', entry);
		// As n8n writes the path of a file that is in the JSON.
		const field = Object.hasOwn(fields, entry) ? entry : entry.replace(/^_files\./, '');
		if (Object.hasOwn(fields, field)) return toSourceFile(field, fields[field]);
		throw createError(`The input item has no binary field "${entry}"`);
	});
}

/** Names of fields, and files that an expression returned, such as `$('Read').item.binary.data`. A text is never a file. */
function parseEntries(item: Item): Array<string | IBinaryData> {
	const values: unknown[] = [item.getParameter('binaryPropertyName')].flat();
	const entries = values.flatMap((value): Array<string | IBinaryData> => {
		if (!isObject(value) || !('mimeType' in value)) return parseList(value, LABEL);
		const file = value as unknown as IBinaryData;
		// Without an ID, the file has its content with it.
		if (!file.id || listKnownFiles(item).has(file.id)) return [file];
		// It can come from a form or a webhook, and n8n opens the files of any workflow by it.
		throw new UserError(`"${LABEL}" contains a file that this execution did not read`, {
			description:
				"A file by reference must be in the binary data of the input item or of an earlier node. Use an expression that returns it from there, such as {{ $('Read').item.binary.data }}.",
		});
	});
	return [...new Set(entries)];
}

/** The IDs of files in the input and in what earlier nodes returned, also before the agent whose tool this node is. */
const knownFiles = new WeakMap<Host, Set<string>>();

function listKnownFiles({ host, index }: Item): Set<string> {
	const known = knownFiles.get(host) ?? new Set();
	if (knownFiles.has(host)) return known;
	knownFiles.set(host, known);
	const { context, node, items } = host;
	const proxy = context.getWorkflowDataProxy(index);
	const { name: previous = node.name } = proxy.$prevNode as { name?: string };
	const parents = [node.name, previous].flatMap((name) => context.getParentNodes(name));
	const outputs = [previous, ...parents.map(({ name }) => name)].map((name) => {
		try {
			const returned = proxy.$(name).all() as INodeExecutionData[];
			// They are the JSON alone then.
			return hasFilesInJson(host) ? returned.map((json) => ({ json })) : returned;
		} catch {
			// The node did not run.
			return [];
		}
	});
	for (const item of [...items.values(), ...outputs.flat()]) {
		const ids = Object.values(getBinaryFields(item, host)).map((file) => file?.id);
		for (const id of ids) if (id) known.add(id);
	}
	return known;
}

/** Whether files are in `_files` of the JSON, where only n8n puts them. n8n 1 does not know the setting. */
function hasFilesInJson({ context }: Host): boolean {
	return context.getWorkflowSettings?.().binaryMode === 'combined';
}

function getBinaryFields({ json, binary }: INodeExecutionData, host: Host): IBinaryKeyData {
	// It can also be null.
	if (!hasFilesInJson(host)) return { ...binary };
	const filesInJson = json._files as unknown as IBinaryKeyData | undefined;
	return { ...filesInJson, ...binary };
}

/** An expression can also return a report as an object or a list, in place of text. */
export function parseTextFile(item: Pick<Item, 'getParameter' | 'read'>): SourceFile {
	const name = cleanFileName(item.read(textFileNameField));
	const { displayName: label } = textFileNameField;
	if (name === '') throw emptyError(label, `Enter a name in "${label}", such as report.txt.`);
	const value = item.getParameter('textContent', undefined);
	const isJson = isObject(value) && toMoment(value) === undefined;
	const text = isJson ? JSON.stringify(value, null, 2) : parseText(value, 'Text');
	if (text === '') throw emptyError('Text', 'Enter the content of the file in "Text".');
	const extension = name.split('.').slice(1).at(-1)?.toLowerCase() ?? '';
	const type = MEDIA_TYPES.get(extension) ?? 'text/plain';
	return { name, type, content: { base64: Buffer.from(text).toString('base64') } };
}

/** Other nodes and code can put anything into a binary field, so nothing in it is relied on. */
function toSourceFile(field: string, file: IBinaryData | null | undefined): SourceFile {
	const { id, data, mimeType, fileName, fileExtension }: Record<string, unknown> = { ...file };
	const extension = fileExtension ? `.${String(fileExtension)}` : '';
	const name = cleanFileName(String(fileName ?? '')) || `${field}${extension}`;
	// What no header of a part can have.
	const type = String(mimeType ?? '').replace(/[^\x20-\x7E]/g, '');
	if (typeof id === 'string' && id !== '') return { name, type, content: { stored: id } };
	const base64 = typeof data === 'string' ? data.replace(/\s/g, '') : '?';
	const digits = base64.replace(/={1,2}$/, '');
	if (/^[\w+/-]*$/.test(digits) && digits.length % 4 !== 1)
		return { name, type, content: { base64 } };
	throw new UserError(`The binary field "${field}" holds no usable file content`, {
		description:
			"The node that created the field has to set a reference to a stored file, or the content as Base64, without a prefix such as data:application/pdf;base64. Check that node, or choose another field. In an expression, use $('Read').item.binary.data, because $binary.data has no content.",
	});
}

/** The end of a path, without control characters and marks that reverse what follows: `invoice\u202Efdp.exe`. */
export function cleanFileName(name: string): string {
	const visible = name.replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '');
	const parts = visible.split(/[/\\]/).map((part) => part.trim());
	return parts.filter((part) => !/^\.{0,2}$/.test(part)).at(-1) ?? '';
}
