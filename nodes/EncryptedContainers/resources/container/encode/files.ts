import {
	UserError,
	type IBinaryData,
	type IBinaryKeyData,
	type INodeExecutionData,
} from 'n8n-workflow';

import {
	emptyError,
	listSome,
	parseList,
	parseShortText,
	parseText,
	toMoment,
} from '../../../../shared/parameters/values';
import { isObject } from '../../../../shared/responses/shapes';
import { choiceField, simpleField } from '../../../descriptions/commonFields';
import type { Host } from '../../../execution/execution';
import type { Item } from '../../../execution/item';
import { sanitizeMediaType, type SourceFile } from './multipartForm';

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
	simpleField(
		['File Name', 'textFileName', 'text.txt'],
		'The extension (.txt, .csv, .html, .md) sets the file type',
		{ required: true, placeholder: 'e.g. report.txt', ...ofText },
	),
];

/** Control characters, line separators and marks of direction; joiners of emoji and of scripts such as Persian stay. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu;

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

export function getItemFiles(item: Item): SourceFile[] {
	const source = item.read(fileSourceField);
	if (source === 'text') return [parseTextFile(item)];
	const fields = getBinaryFields(item.input, item.host);
	return getFiles(fields, source === 'all' ? Object.keys(fields) : listEntries(item));
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

/** An expression can also return a report as an object or a list, in place of text. */
export function parseTextFile(item: Pick<Item, 'getParameter'>): SourceFile {
	const label = 'File Name';
	const name = cleanFileName(parseShortText(item.getParameter('textFileName'), label).trim());
	if (name === '') {
		throw emptyError(label, `Enter a name with an extension in "${label}", such as report.txt.`);
	}
	const value = item.getParameter('textContent', undefined);
	const isJson = isObject(value) && toMoment(value) === undefined;
	const text = isJson ? JSON.stringify(value, null, 2) : parseText(value, 'Text');
	if (text === '') throw emptyError('Text', 'Enter the content of the file in "Text".');
	const extension = /\.([^.]+)$/.exec(name)?.[1].toLowerCase() ?? '';
	const type = MEDIA_TYPES.get(extension) ?? 'text/plain';
	return { name, type, content: { base64: Buffer.from(text).toString('base64') } };
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
	const found = knownFiles.get(host) ?? new Set();
	if (knownFiles.has(host)) return found;
	knownFiles.set(host, found);
	const { context, node } = host;
	const proxy = context.getWorkflowDataProxy(index);
	const { name: previous = node.name } = proxy.$prevNode as { name?: string };
	const parents = [node.name, previous].flatMap((name) => context.getParentNodes(name));
	for (const name of [previous, ...parents.map((parent) => parent.name)]) {
		try {
			const items = proxy.$(name).all() as INodeExecutionData[];
			for (const id of items.flatMap((item) => listIds(item, host))) found.add(id);
		} catch {
			// The node did not run.
		}
	}
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

/** Other nodes and code can put anything into a binary field, so nothing in it is relied on. */
function toSourceFile(field: string, file: IBinaryData | null | undefined): SourceFile {
	const { id, data, mimeType, fileName, fileExtension }: Record<string, unknown> = { ...file };
	const extension = fileExtension ? `.${String(fileExtension)}` : '';
	const names = [String(fileName ?? ''), `${field}${extension}`].map(cleanFileName);
	const details = { name: names.find(Boolean) ?? 'file', type: sanitizeMediaType(mimeType) };
	if (typeof id === 'string' && id !== '') return { ...details, content: { stored: id } };
	const base64 = typeof data === 'string' ? data.replace(/\s/g, '') : '?';
	const digits = base64.replace(/={1,2}$/, '');
	if (!/[^\w+/-]/.test(digits) && digits.length % 4 !== 1)
		return { ...details, content: { base64 } };
	throw new UserError(`The binary field "${field}" holds no usable file content`, {
		description:
			"The node that created the field has to set a reference to a stored file, or the content as Base64, without a prefix such as data:application/pdf;base64. Check that node, or choose another field. In an expression, use $('Read').item.binary.data, because $binary.data has no content.",
	});
}

/** A file name that shows what it is and that parsers of multipart bodies keep; empty when nothing of it is left. */
export function cleanFileName(name: string): string {
	const parts = name.replace(UNPRINTABLE, '').split(/[/\\]/);
	const lastPart = parts.filter((part) => part.trim() !== '').at(-1) ?? '';
	return /^\.{1,2}$/.test(lastPart.trim()) ? '' : lastPart;
}
