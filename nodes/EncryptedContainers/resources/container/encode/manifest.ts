import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';

import { cleanRecipients, parseRules } from '../../../../shared/api/shownRules';
import { simpleField } from '../../../../shared/descriptions/options';
import { isWildcard, omitRepeated } from '../../../../shared/parameters/addresses';
import { parseServiceDate } from '../../../../shared/parameters/dates';
import { emptyError, parseShortText } from '../../../../shared/parameters/values';
import { isRecord } from '../../../../shared/responses/shapes';
import { choiceField, createNotice } from '../../../descriptions/commonFields';
import {
	accessDaysField,
	dynamicField,
	encodeRuleFields,
	NO_RECIPIENTS_NOTICE,
	PASSWORD_LABEL,
	SEALED_NOTICE,
	timeEndField,
} from '../../../descriptions/ruleFields';
import type { Item } from '../../../execution/item';
import { parseJsonCountries } from '../../../parameters/countries';
import { parseEnteredRules } from '../../../parameters/enteredRules';
import { assertMaySend, listRecipients } from '../../../parameters/guardrails';
import { parseJsonObject, toJson } from '../../../parameters/json';
import { parseRecipients } from '../../../parameters/recipients';

const nameField = simpleField(
	['Container Name', 'name', ''],
	'If empty, the name of the first file',
	{ placeholder: 'e.g. Invoice 2026-0042' },
);

export const accessEndsField = choiceField(
	['Access Ends', 'accessEnds', 'afterDays'],
	{
		afterDays: ['After a Number of Days', 'People can open it for a number of days from today'],
		onDate: ['On a Date', 'People can open it up to and including a day'],
		never: ['Never', 'People can open it until somebody revokes access'],
	},
	'When people can no longer open the container',
);

const recipientsField = simpleField(
	['Recipients', 'recipients', ''],
	'Email addresses of who can open the container, separated by commas. *@example.com means everyone at example.com.',
	{
		builderHint: { propertyHint: 'Always set it, as one string' },
		placeholder: 'e.g. anna@example.com, *@example.org',
	},
);

const downloadableField = simpleField(
	['Downloadable', 'downloadable', false],
	'Whether recipients can download the files. If off, they see PDFs and pictures as pages marked with their address, and text as it is. Office files are shown only if your service is set up for it; audio, video and archives never.',
);

const RULES_LABEL = 'More Access Rules';

/** The fields that say when access ends, by what is chosen. */
export const END_FIELDS: Record<'never' | 'onDate' | 'afterDays', string[]> = {
	never: [],
	onDate: ['timeEnd'],
	afterDays: ['accessDays'],
};

export const manifestFields: INodeProperties[] = [
	nameField,
	{
		...recipientsField,
		required: true,
		displayOptions: { hide: { '/options.allowNoRecipients': [true] } },
	},
	// n8n doesn't run a node with a required field that is empty.
	{ ...recipientsField, displayOptions: { show: { '/options.allowNoRecipients': [true] } } },
	createNotice('recipientsNotice', NO_RECIPIENTS_NOTICE, {
		show: { '/options.allowNoRecipients': [true] },
	}),
	accessEndsField,
	{ ...timeEndField, displayOptions: { show: { accessEnds: ['onDate'] } } },
	{ ...accessDaysField, displayOptions: { show: { accessEnds: ['afterDays'] } } },
	dynamicField,
	createNotice('dynamicNotice', SEALED_NOTICE, { show: { dynamic: [false] } }),
	downloadableField,
	{
		displayName: RULES_LABEL,
		name: 'drmRules',
		type: 'collection',
		placeholder: 'Add Rule',
		default: {},
		description: 'From where, from when and how often people can open it, and its password',
		options: encodeRuleFields,
	},
];

export const specifyManifestField = choiceField(
	['Specify Manifest', 'specifyManifest', 'fields'],
	{ fields: ['Using Fields Above'], json: ['Using JSON'] },
	'How to enter the name and the access rules of the container',
	{ noDataExpression: true },
);

const MANIFEST_LABEL = 'Manifest (JSON)';

const manifestJsonField = simpleField(
	[
		MANIFEST_LABEL,
		'manifestJson',
		'{\n  "container": {\n    "name": "Invoice 2026-0042",\n    "recipients": ["anna@example.com"],\n    "downloadable": false,\n    "drm": { "dynamic": true }\n  }\n}',
	],
	'The complete manifest, also for what has no field, such as rules for a city',
	{ type: 'json', required: true, displayOptions: { show: { specifyManifest: ['json'] } } },
);

export const jsonFields = [specifyManifestField, manifestJsonField];

export const allowNoRecipientsOption = simpleField(
	['Allow No Recipients', 'allowNoRecipients', false],
	'Whether to create a container that only its owner can open',
);

/** What makes a container (docs/openapi.yaml, Manifest). */
export interface Manifest extends IDataObject {
	container: IDataObject;
}

/** @param fileName names the container where nothing is entered */
export async function parseManifest(item: Item, fileName?: string): Promise<Manifest> {
	const isJson = item.read(specifyManifestField) === 'json';
	const manifest = isJson ? parseJson(item) : await parseFields(item, fileName);
	const field = isJson ? manifestJsonField : recipientsField;
	assertSomebody(item, manifest, field.displayName);
	await assertMaySend(item, 'manifest', manifest, field);
	return manifest;
}

function parseJson(item: Item): Manifest {
	const label = MANIFEST_LABEL;
	const manifest = parseJsonObject(item.getParameter('manifestJson'), label);
	if (!isRecord(manifest.container)) {
		throw new UserError(`"${label}" contains no "container" object`, {
			description: `Enter the manifest in "${label}" in the format { "container": { "name": "…", … } }.`,
		});
	}
	const container = { ...manifest.container };
	if (Object.hasOwn(container, 'password')) parsePassword(container.password, label);
	const name = parseShortText(container.name ?? '', 'container.name');
	if (typeof container.name === 'string') container.name = toOneLine(name);
	if (isRecord(container.drm)) container.drm = withCleanRules(container.drm);
	return { ...manifest, container: withCleanRules(container) };
}

function withCleanRules(rules: IDataObject): IDataObject {
	const cleaned = { ...rules };
	const { recipients, geo } = rules;
	if (recipients !== undefined) cleaned.recipients = cleanRecipients(recipients) as IDataObject[];
	if (geo !== undefined) cleaned.geo = parseJsonCountries(geo, MANIFEST_LABEL) as IDataObject;
	return cleaned;
}

async function parseFields(item: Item, fileName?: string): Promise<Manifest> {
	const name = toOneLine(item.read(nameField) || (fileName ?? ''));
	if (name === '') throw emptyError('Container Name', 'Enter a name in "Container Name".');
	const recipients = parseRecipients(item.getParameter('recipients'), 'Recipients');
	const endFields = END_FIELDS[item.read(accessEndsField)];
	const fields = ['dynamic', ...endFields].map((field) => [field, item.getParameter(field)]);
	const rules = item.getParameter('drmRules', {}) as IDataObject;
	const password = 'password' in rules ? parsePassword(rules.password, RULES_LABEL) : undefined;
	const drm = await parseEnteredRules({ ...rules, ...Object.fromEntries(fields) }, item);
	const container = {
		name,
		recipients: recipients.length === 0 ? undefined : recipients,
		downloadable: item.read(downloadableField),
		password,
		drm,
	};
	return { container };
}

/** The service refuses a line break or a tab in a name, and a name often comes from a cell of a table or a subject. */
function toOneLine(name: string): string {
	return name.replace(/[\t\n\v\f\r]+/g, ' ');
}

/** A container that only its owner can open is hardly ever meant. */
function assertSomebody(item: Item, { container }: Manifest, label: string): void {
	const recipients = [container, container.drm].filter(isRecord).flatMap(listRecipients);
	if (item.read(allowNoRecipientsOption) || recipients.length > 0) return;
	throw new UserError(`"${label}" contains no address`, {
		description: `Enter at least one address in "${label}", and if it comes from an expression, check that the field exists in the input item. To create a container without recipients, turn on "${allowNoRecipientsOption.displayName}" in the options.`,
	});
}

/** With an empty password, the container would have none, so it is an error. */
function parsePassword(value: unknown, field: string): string {
	toJson({ [PASSWORD_LABEL]: value }, field);
	const password = parseShortText(value, PASSWORD_LABEL);
	if (password !== '') return password;
	const advice = `Enter a password, or remove it from "${field}" to create a container without a password.`;
	throw emptyError(PASSWORD_LABEL, advice);
}

/** What the next node needs of the manifest: the container without its password, whom to email, and the last day. */
export function toSettings(manifest: IDataObject): IDataObject {
	const container = { ...manifest };
	delete container.password;
	const rules = isRecord(container.drm) ? container.drm : {};
	const entered = container.recipients ?? rules.recipients;
	const { recipients = [] } = parseRules({ recipients: entered }).rules;
	const people = omitRepeated(recipients.filter((address) => !isWildcard(address)));
	const end = isRecord(rules.time) ? parseServiceDate(rules.time.end) : undefined;
	return { ...container, recipients, emailTo: people.join(', '), endsOn: end ?? null };
}
