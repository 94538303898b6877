import { UserError, type IDataObject } from 'n8n-workflow';

import { getContainerIdentity, getNewContainerId } from '../../../../shared/api/records';
import type { ServiceRequest } from '../../../../shared/client/client';
import { buildPath } from '../../../../shared/client/path';
import type { RequestFailure } from '../../../../shared/errors/failure';
import { createInputError } from '../../../../shared/errors/nodeErrors';
import { getDateInDays } from '../../../../shared/parameters/dates';
import { parseBoolean, parseChoice, parseOption } from '../../../../shared/parameters/scalars';
import { shorten } from '../../../../shared/parameters/values';
import { describeBody } from '../../../../shared/responses/serviceMessage';
import { assertAllItems, linkToAll } from '../../../execution/allItems';
import type { Item } from '../../../execution/item';
import type { Call, Job, Operation, ParsedItem, RunServices } from '../../../execution/operation';
import {
	assertFilePartAllowed,
	assertManifestAllowed,
	getGuardrails,
} from '../../../parameters/guardrails';
import { findPasswords } from '../../../parameters/json';
import { isGone } from '../../commonOperations';
import { CONTAINER_MODES, IF_EXISTS } from './choices';
import { findContainers, rememberContainer, toNameKey } from './existingContainers';
import { getItemFiles } from './inputFiles';
import { getManifest, getSettings, type Manifest } from './manifest';
import { MultipartForm, type PartNames } from './multipartForm';
import { assertSameAccess } from './reuse';
import { assertSameManifest } from './sameManifest';
import { deduplicateFileNames, type SourceFile } from './sourceFiles';

interface Upload {
	/** The container's name; empty if the manifest has none. */
	name: string;
	manifest: Manifest;
	files: SourceFile[];
	isForAllItems: boolean;
	partNames: PartNames;
	ifExists: 'create' | 'reuse' | 'fail';
	includeFileDigests: boolean;
}

/** Encrypts files into a new container (docs/openapi.yaml, encodeFiles), or the files of all items into one. */
export const encode: Operation<Upload> = {
	responseTimeout: 300,
	parse(item) {
		item.getErrorFields = () => ({ name: toName(item.getParameter('name')) });
		const mode = item.getParameter('containerMode', 'perItem');
		const isForAllItems = parseChoice(mode, 'Container Mode', CONTAINER_MODES) === 'allItems';
		if (isForAllItems) {
			const advice = ', or set "Container Mode" to One Container per Item';
			assertAllItems(item, '"All Items in One Container"', advice);
		}
		// Before any other field is looked at: without a file, nothing else matters.
		const files = getItemFiles(item);
		const options = parseOptions(item);
		const manifest = getManifest(item);
		const name = toName(manifest.container.name);
		if (options.ifExists !== 'create') assertNamed(name);
		item.getErrorFields = () => ({ name });
		item.sensitiveValues.push(...findPasswords(manifest, 'Manifest (JSON)'));
		return { name, manifest, files, isForAllItems, ...options };
	},
	check({ item, session }, { manifest, partNames }) {
		const guardrails = getGuardrails(session);
		assertManifestAllowed(manifest, guardrails, getDateInDays(0, item.timeZone));
		assertFilePartAllowed(partNames.file, guardrails);
	},
	async *plan(parsed, run) {
		const isForAllItems = parsed.some(({ input }) => input?.isForAllItems);
		const jobs = isForAllItems
			? [createJobForAll(await merge(parsed), parsed, run)]
			: parsed.map((entry) => createJob(entry, run));
		const count = jobs.length;
		yield jobs;
		const reused = parsed.filter(({ item }) => item.state.isReused).length;
		if (reused === 0) return;
		run.addHint(`${reused} of ${count} containers existed already: nothing was uploaded there.`);
	},
};

function createJob(entry: ParsedItem<Upload>, run: RunServices): Job {
	const { input, error } = entry;
	return run.createJob(entry, async (call) => {
		if (input === undefined) throw error;
		return [await sendOrReuse(call, { ...input, files: deduplicateFileNames(input.files) })];
	});
}

function createJobForAll(
	entry: ParsedItem<Upload>,
	parsed: Array<ParsedItem<Upload>>,
	run: RunServices,
): Job {
	const [{ item: first }] = parsed;
	const job = createJob(entry, run);
	return {
		...job,
		id: String(first.index),
		pairedItem: linkToAll(parsed),
		async send() {
			// The first item knows what an earlier try might have created.
			if (entry.error !== undefined) first.state.assertRepeatable();
			return await job.send();
		},
	};
}

/** None of the items is left out: the error of one is the error of all. */
async function merge(parsed: Array<ParsedItem<Upload>>): Promise<ParsedItem<Upload>> {
	const failed = parsed.find(({ error }) => error !== undefined);
	if (failed !== undefined) return failed;
	const [{ item }] = parsed;
	const uploads = parsed.flatMap(({ input }) => input ?? []);
	const manifests = uploads.map(({ manifest }) => manifest);
	return await assertSameManifest(item, manifests).then(
		() => ({ item, input: { ...uploads[0], files: uploads.flatMap(({ files }) => files) } }),
		(error: Error) => ({ item, error }),
	);
}

async function sendOrReuse(call: Call, upload: Upload): Promise<IDataObject> {
	const { name, ifExists } = upload;
	// A container that an earlier try might have created can only be found, not created again.
	if (ifExists !== 'reuse') call.item.state.assertRepeatable();
	if (ifExists === 'create') return await sendUpload(call, upload);
	// Two items with the same name must see each other's container.
	const key = `container "${toNameKey(name)}" of ${await call.getUserId()}`;
	const subject = `the container name "${name}"`;
	return await call.runAlone(key, subject, async () => await findOrSend(call, upload), false);
}

async function findOrSend(call: Call, upload: Upload): Promise<IDataObject> {
	const { name, ifExists } = upload;
	/** Of the first that exists with other access: another one of the same name can fit. */
	let difference: Error | undefined;
	for await (const found of findContainers(call, name)) {
		const checking =
			ifExists === 'fail'
				? exists(call, found)
				: assertSameAccess(call, found, upload.manifest.container);
		const isThere = await checking.catch((error: Error) => {
			if (!(error instanceof UserError)) throw error;
			difference ??= error;
			return false;
		});
		if (!isThere) continue;
		if (ifExists === 'fail') throw containerExistsError(call, name, found);
		const { recipients, emailTo, endsOn } = getSettings(upload.manifest.container);
		const settings = { name, recipients, emailTo, endsOn };
		const files = upload.includeFileDigests ? { files: [] } : {};
		// What might have been created by an upload before was not there already.
		call.item.state.isReused = !call.run.memory.unknown.delete(describeUpload(call, name));
		return { ...found, reused: true, ...files, settings };
	}
	if (difference !== undefined) throw difference;
	const envelope = await sendUpload(call, upload);
	return { ...envelope, ...(ifExists === 'reuse' ? { reused: false } : {}) };
}

/** Whether a container of the list was not deleted since. */
async function exists({ client }: Call, found: IDataObject): Promise<boolean> {
	const { id } = getContainerIdentity(found);
	if (id === undefined) return true;
	const path = buildPath(['containers', id]);
	const subject = { containerId: id };
	return !(await isGone(client, { path, action: 'get the container', subject }));
}

async function sendUpload(
	call: Call,
	{ name: sentName, manifest, files, partNames, includeFileDigests }: Upload,
): Promise<IDataObject> {
	const { client, item, run } = call;
	const { state, host } = item;
	state.assertRepeatable();
	const form = new MultipartForm(host.context, manifest, files, partNames, includeFileDigests);
	const request: ServiceRequest = {
		method: 'POST',
		path: await call.getPath(),
		action: 'encode the files',
		upload: form,
		idempotent: false,
		onUnknownOutcome() {
			state.isOutcomeUnknown = true;
			run.memory.unknown.add(describeUpload(call, sentName));
		},
		subject: { containerName: sentName },
	};
	const sending = client.requestObject(request, checkEnvelope);
	const envelope = await sending.catch(async (error: unknown) => {
		if (state.isOutcomeUnknown) await rememberContainer(call, sentName);
		throw error;
	});
	const { name = sentName } = getContainerIdentity(envelope);
	const id = getNewContainerId(envelope);
	const shownName = shorten(client.redactLine(name));
	run.memory.created.push(client.redactLine(`container "${shownName}" (${id})`));
	await rememberContainer(call, sentName, envelope);
	return {
		...envelope,
		...(includeFileDigests ? { files: form.files } : {}),
		settings: getSettings(manifest.container),
	};
}

function describeUpload({ client }: Call, name: string): string {
	return client.redactLine(`container "${name}"`);
}

/** Without an identifier nobody can tell whether there is a container. */
function checkEnvelope(envelope: IDataObject): RequestFailure | undefined {
	if (getNewContainerId(envelope) !== undefined) return undefined;
	const received = describeBody({ kind: 'json', value: envelope });
	return { kind: 'unexpected', expected: 'a container with a uuid', received };
}

function containerExistsError({ item, client }: Call, name: string, existing: IDataObject): Error {
	const { id } = getContainerIdentity(existing);
	const found = id && ` The ID of the existing container is ${client.redactLine(id)}.`;
	return createInputError(item.host.node, {
		message: `A container named "${client.redactLine(name)}" already exists`,
		description: `Nothing was uploaded.${found ?? ''} Change "Container Name", delete the existing container, or set "If Container Exists" to Reuse Existing.`,
		itemIndex: item.index,
	});
}

function assertNamed(name: string): void {
	if (name !== '') return;
	throw new UserError('The manifest contains no container name', {
		description:
			'"If Container Exists" finds containers by name. Add "name" to "container" in "Manifest (JSON)", or set "If Container Exists" to Create Another.',
	});
}

function toName(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

function parseOptions(item: Item): Pick<Upload, 'partNames' | 'ifExists' | 'includeFileDigests'> {
	const options = item.getOptions();
	const parsePart = (name: string, preset: string, label: string) =>
		parseOption(options, name, preset, (value) => parsePartName(value, preset, label));
	return {
		partNames: {
			manifest: parsePart('manifestPartName', 'manifest.json', 'Manifest Part Name'),
			file: parsePart('filePartName', 'file', 'File Part Name'),
		},
		ifExists: parseOption<Upload['ifExists']>(options, 'ifExists', 'create', (value) =>
			parseChoice(value, 'If Container Exists', IF_EXISTS),
		),
		includeFileDigests: parseOption(options, 'includeFileDigests', false, (value) =>
			parseBoolean(value, 'Include File Digests'),
		),
	};
}

function parsePartName(value: unknown, preset: string, label: string): string {
	if (typeof value === 'string' && /^[\w.[\]-]{1,100}$/.test(value.trim())) return value.trim();
	throw new UserError(`"${label}" is not a valid name for a part of the request`, {
		description: `Use at most 100 letters, digits, dots, hyphens and underscores in "${label}". The default is ${preset}.`,
	});
}
