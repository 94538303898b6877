import { updateDisplayOptions, type IDataObject } from 'n8n-workflow';

import { isUserHidden } from '../../../../shared/api/features';
import { toCanonicalRule, type DrmRules } from '../../../../shared/api/shownRules';
import { endpoints } from '../../../../shared/client/endpoints';
import { simpleField } from '../../../../shared/descriptions/options';
import { choiceField, createNotice, recipientOptions } from '../../../descriptions/commonFields';
import { assertAllItems, joinItems, linkToAll } from '../../../execution/allItems';
import { defineOperation } from '../../../execution/defineOperation';
import type { Item } from '../../../execution/item';
import { createJob, type Job, type ParsedItem } from '../../../execution/operation';
import { findPasswords } from '../../../parameters/json';
import { sendOrReuse, type EncodeInput } from './encode';
import { fileFields, parseFiles } from './files';
import {
	accessEndsField,
	allowNoRecipientsOption,
	END_FIELDS,
	parseManifest,
	specifyManifestField,
	toSettings,
	jsonFields,
	manifestFields,
	type Manifest,
} from './manifest';

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

const ifExistsOption = choiceField<EncodeInput['ifExists']>(
	['If Container Exists', 'ifExists', 'create'],
	{
		create: ['Create Another', 'Create a new container, even if one with this name exists'],
		fail: ['Fail', 'Return an error without uploading'],
		reuse: [
			'Reuse Existing',
			'Return the existing container without uploading. An error if its recipients or end differ, or if it allows a download that is off here.',
		],
	},
	'What to do if the user already has a container with this name',
);

const partNamesOption = choiceField<EncodeInput['partNames']>(
	['Part Names', 'partNames', 'current'],
	{
		current: ['manifest.json and file', 'As the service documents them'],
		older: ['manifest and files', 'For an older service'],
	},
	'How the parts of the upload are named',
);

const includeFileDigestsOption = simpleField(
	['Include File Digests', 'includeFileDigests', false],
	'Whether to add the name, size and SHA-256 hash of each file to the output',
);

/** Encrypts files into a new container (docs/openapi.yaml, encodeFiles), or the files of all items into one. */
export const encodeFiles = defineOperation<EncodeInput>({
	name: 'Encrypt Files (Encode)',
	value: 'encode',
	action: 'Encrypt (encode) files into a container',
	description: 'Encrypt files into a new container and set its access rules',
	routing: { request: endpoints.encodeFiles },
	alsoSends: [endpoints.listContainers, endpoints.getDrmRules],
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
	async parse(item) {
		item.errorFields.name = item.getParameter('name') as string;
		const isForAllItems = !item.isTool && item.read(containerModeField) === 'allItems';
		if (isForAllItems) {
			const advice = ', or set "Container Mode" to One Container per Item';
			assertAllItems(item, '"All Items in One Container"', advice);
		}
		// Before any other field is looked at: without a file, nothing else matters.
		const files = parseFiles(item);
		const options = {
			partNames: item.read(partNamesOption),
			ifExists: item.read(ifExistsOption),
			includeFileDigests: item.read(includeFileDigestsOption),
		};
		const manifest = await parseManifest(item, isForAllItems ? undefined : files[0].name);
		const { name } = manifest.container;
		item.errorFields.name = name;
		item.hide(findPasswords(manifest));
		return {
			...options,
			item,
			common: { ...options, ...listCommonFields(item, manifest) },
			name: String(name ?? ''),
			manifest,
			files,
			isForAllItems,
		};
	},
	async *plan(parsed) {
		const isForAllItems = parsed.some(({ input }) => input?.isForAllItems);
		const groups = isForAllItems ? [parsed] : parsed.map((entry) => [entry]);
		yield groups.map(createEncodeJob);
	},
});

/** What the items of one container must have in common, by the name of the field that it was entered in. */
function listCommonFields(item: Item, manifest: Manifest): IDataObject {
	const { userId } = item.pathParams;
	const { container } = manifest;
	const recipients = toCanonicalRule(container.recipients);
	if (item.read(specifyManifestField) === 'json') {
		return { userId, manifestJson: { ...manifest, container: { ...container, recipients } } };
	}
	const { name, downloadable, password } = container;
	const { dynamic, time = {}, ...others } = container.drm as DrmRules;
	const drmRules = { ...others, start: time.start };
	const accessEnds = item.read(accessEndsField);
	const common = {
		userId,
		name,
		recipients,
		accessEnds,
		dynamic,
		downloadable,
		password,
		drmRules,
	};
	const ends = END_FIELDS[accessEnds].map((field) => [field, time.end]);
	return { ...common, ...Object.fromEntries(ends) } as IDataObject;
}

/** Before the upload: what fails here must not hide what was created. */
async function addHintOfEnd(item: Item, { container }: Manifest): Promise<void> {
	const { endsOn } = toSettings(container);
	if (endsOn === null) return;
	const calendar = await item.getCalendar().catch((error: unknown) => {
		if (isUserHidden(error)) return undefined;
		throw error;
	});
	item.addEndHint(calendar, String(endsOn));
}

/** The files of a group of items go into one container. */
function createEncodeJob(group: Array<ParsedItem<EncodeInput>>): Job {
	// None of them is left out: the error of one is the error of all.
	const entry = group.find(({ error }) => error !== undefined) ?? group[0];
	const job = createJob(entry, async () => {
		const inputs = group.map(({ input }) => input as EncodeInput);
		const item = await joinItems(inputs);
		const files = inputs.flatMap((input) => input.files);
		await addHintOfEnd(item, inputs[0].manifest);
		return [await sendOrReuse(item, { ...inputs[0], files })];
	});
	return { ...job, pairedItem: linkToAll(group) };
}
