import { updateDisplayOptions, type IDataObject } from 'n8n-workflow';

import { toCanonicalRule } from '../../../../shared/api/drmRules';
import { getDateInDays } from '../../../../shared/parameters/dates';
import {
	parseBoolean,
	parseChoice,
	parseChoiceField,
	type ChoiceField,
} from '../../../../shared/parameters/values';
import {
	choiceField,
	createNotice,
	recipientOptions,
	simpleField,
} from '../../../descriptions/commonFields';
import { assertAllItems, joinItems, linkToAll } from '../../../execution/allItems';
import { defineOperation } from '../../../execution/defineOperation';
import type { Item } from '../../../execution/item';
import { createJob, type Job, type ParsedItem } from '../../../execution/operation';
import { assertAllowed, getGuardrails } from '../../../parameters/guardrails';
import { findPasswords } from '../../../parameters/json';
import { sendOrReuse, type Upload } from './encode';
import { fileFields, getItemFiles } from './inputFiles';
import { allowNoRecipientsOption, getManifest, jsonFields, manifestFields } from './manifest';
import type { PartNames } from './multipartForm';

const containerModeField = choiceField(
	['Container Mode', 'containerMode', 'perItem'],
	{
		perItem: ['One Container per Item', 'Create one container for each input item'],
		allItems: [
			'All Items in One Container',
			'Put the files of all input items into one container. Enter its name. Name, recipients and rules must be the same for all items.',
		],
	},
	'How many containers to create',
	{ noDataExpression: true, displayOptions: { show: { '@tool': [false] } } },
);

const ifExistsOption = choiceField<Upload['ifExists']>(
	['If Container Exists', 'ifExists', 'create'],
	{
		create: ['Create Another', 'Create a new container, even if one with this name exists'],
		fail: ['Fail', 'Return an error without uploading'],
		reuse: [
			'Reuse Existing',
			'Return the existing container without uploading, if its recipients and its end are those set here, and it allows no more download',
		],
	},
	'What to do if the user already has a container with this name',
);

const partNamesOption = choiceField<keyof typeof PART_NAMES>(
	['Part Names', 'partNames', 'current'],
	{
		current: ['manifest.json and file', 'As the service documents them'],
		older: ['manifest and files', 'For an older service'],
	},
	'How the parts of the upload are named',
);

const PART_NAMES: Record<'current' | 'older', PartNames> = {
	current: { manifest: 'manifest.json', file: 'file' },
	older: { manifest: 'manifest', file: 'files' },
};

const includeFileDigestsOption = simpleField(
	['Include File Digests', 'includeFileDigests', false],
	'Whether to add the name, size and SHA-256 hash of each file to the output',
);

/** Encrypts files into a new container (docs/openapi.yaml, encodeFiles), or the files of all items into one. */
export const encodeFiles = defineOperation<Upload>({
	name: 'Encrypt Files (Encode)',
	value: 'encode',
	action: 'Encrypt (encode) files into a container',
	description: 'Encrypt files into a new container and set its access rules',
	endpoint: { method: 'POST', path: '/users/{userId}/containers/encode' },
	fields: [
		createNotice(
			'encodeToolNotice',
			'Let the model define at least Text, Container Name and Recipients, with the button beside each field. Whatever text the model reads can decide whom it enters as a recipient: add Options > Allowed Recipients.',
		),
		...fileFields,
		...updateDisplayOptions({ show: { specifyManifest: ['fields'] } }, manifestFields),
		containerModeField,
		...jsonFields,
	],
	options: [
		...recipientOptions,
		allowNoRecipientsOption,
		ifExistsOption,
		includeFileDigestsOption,
		partNamesOption,
	],
	responseTimeout: 300,
	parse(item) {
		const isForAllItems = !item.isTool && parseChoiceField(item, containerModeField) === 'allItems';
		if (isForAllItems) {
			const advice = ', or set "Container Mode" to One Container per Item';
			assertAllItems(item, '"All Items in One Container"', advice);
		}
		// Before any other field is looked at: without a file, nothing else matters.
		const files = getItemFiles(item);
		const parse = <Value extends string>(option: ChoiceField<Value>) =>
			item.parseOption(option, (value, label) => parseChoice(value, label, option.options));
		const partNames = PART_NAMES[parse(partNamesOption)];
		const ifExists = parse(ifExistsOption);
		const includeFileDigests = item.parseOption(includeFileDigestsOption, parseBoolean);
		const manifest = getManifest(item, isForAllItems ? undefined : files[0].name);
		const name = toName(manifest.container.name);
		item.errorFields.name = name;
		item.sensitiveValues.push(...findPasswords(manifest));
		const today = getDateInDays(0, item.timeZone);
		assertAllowed('manifest', manifest, getGuardrails(item.client), today);
		return { name, manifest, files, isForAllItems, partNames, ifExists, includeFileDigests };
	},
	async *plan(parsed) {
		const isForAllItems = parsed.some(({ input }) => input?.isForAllItems);
		const entries = isForAllItems ? [await merge(parsed)] : parsed;
		yield entries.map((entry): Job => {
			const send = async (item: Item) => [await sendOrReuse(item, entry.input as Upload)];
			const pairedItem = linkToAll(isForAllItems ? parsed : [entry]);
			const { item } = entry;
			const getErrorFields = () => ({
				...{ name: toName(item.getParameter('name')) },
				...item.errorFields,
			});
			return { ...createJob(entry, send), pairedItem, getErrorFields };
		});
	},
});

/** One upload with the files of all items. None of them is left out: the error of one is the error of all. */
async function merge(parsed: Array<ParsedItem<Upload>>): Promise<ParsedItem<Upload>> {
	const [{ item }] = parsed;
	const failed = parsed.find(({ error }) => error !== undefined);
	if (failed !== undefined) return failed;
	const uploads = parsed.map((entry) => entry.input as Upload);
	const rows = uploads.map((upload, index) => toRow(parsed[index].item, upload));
	return await joinItems(rows).then(
		() => ({ item, input: { ...uploads[0], files: uploads.flatMap(({ files }) => files) } }),
		(error: Error) => ({ item, error }),
	);
}

/** What the items of one container have in common, by the field that sets it. */
function toRow(item: Item, upload: Upload): { item: Item; settings: IDataObject } {
	const { manifest, ifExists, includeFileDigests, partNames } = upload;
	const { container, ...manifestJson } = manifest;
	const { name, recipients, password, ...drmRules } = container;
	const { userId } = item.pathParams;
	const settings = { userId, ifExists, includeFileDigests, partNames, name, password, drmRules };
	return { item, settings: { ...settings, recipients: toCanonicalRule(recipients), manifestJson } };
}

function toName(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
