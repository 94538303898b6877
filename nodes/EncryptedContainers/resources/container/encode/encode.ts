import { UserError, type IDataObject } from 'n8n-workflow';

import { isSameRule, parseRules, readRules } from '../../../../shared/api/shownRules';
import { CONTAINER_LIST, fetchEntries, type ListEntry } from '../../../../shared/api/lists';
import { findContainerLink } from '../../../../shared/api/links';
import { expectRecord, readRecord, withFirst } from '../../../../shared/api/records';
import { acceptObject } from '../../../../shared/client/accept';
import type { Client, ServiceRequest } from '../../../../shared/client/client';
import { extendError, hasStatus } from '../../../../shared/errors/errors';
import { listSome, shorten } from '../../../../shared/parameters/values';
import { keepAsIs } from '../../../../shared/responses/redact';
import { isObject, isRecord } from '../../../../shared/responses/shapes';
import type { Item } from '../../../execution/item';
import { getCreation } from '../../commonOperations';
import { toSettings, type Manifest } from './manifest';
import { MultipartForm, type Form } from './multipartForm';
import { describeUnseen } from './unseenFiles';

export interface EncodeInput extends Form {
	item: Item;
	/** What the items of one container must have in common, by the name of the field. */
	common: IDataObject;
	/** The container's name; empty if the manifest has none. */
	name: string;
	manifest: Manifest;
	isForAllItems: boolean;
	ifExists: 'create' | 'reuse' | 'fail';
}

/** The output item: an envelope of the new container, or of one that fits. */
export async function sendOrReuse(item: Item, input: EncodeInput): Promise<IDataObject> {
	const { name, ifExists } = input;
	const { doubt } = await item.getRequest();
	// The service recognizes what was sent before. Otherwise it can only be found, not created again.
	if (ifExists === 'create' || doubt?.isRecognized) return await sendUpload(item, input);
	const userId = await item.getUserId();
	// Two items with the same name must see each other's container.
	return await item.runAlone(`container "${toNameKey(name)}" of ${userId}`, async () => {
		const found = await fetchNamesakes(item, userId, name);
		if (ifExists === 'fail' && found.length > 0) throw existsError(name, found[0].id);
		if (found.length > 0) return await reuse(item, input, found);
		const output = await sendUpload(item, input);
		return ifExists === 'reuse' ? { ...output, reused: false } : output;
	});
}

async function fetchNamesakes({ client }: Item, userId: string, name: string) {
	const nameKey = toNameKey(name);
	return await fetchEntries(client, CONTAINER_LIST, userId, {
		// The service looks for a name anywhere in theirs.
		query: [['name', name.trim()]],
		matches: (entry) => toNameKey(entry.name ?? '') === nameKey,
	});
}

/** The first of several containers with the same name that fits. @throws UserError where none does */
async function reuse(item: Item, input: EncodeInput, found: ListEntry[]): Promise<IDataObject> {
	const { name, manifest } = input;
	const errors: UserError[] = [];
	for (const { id, record } of found) {
		const differences = await compareAccess(item, id, manifest.container);
		if (differences.length === 0) return await toReused(item, input, record);
		errors.push(differentAccessError(name, id, differences));
	}
	throw errors[0];
}

async function sendUpload(item: Item, input: EncodeInput): Promise<IDataObject> {
	const { name, manifest, includeFileDigests } = input;
	const { client, host, redactor } = item;
	const declared = await getCreation(item);
	const form = new MultipartForm(host.context, input);
	const request: ServiceRequest = {
		...declared,
		action: 'encode the files',
		upload: form,
		secrets: item.secrets,
		subject: { recordName: name, creates: 'container' },
		expected: expectRecord('container'),
	};
	const { object: envelope } = await client.request(request, acceptObject).catch((error: Error) => {
		throw declared.doubt !== undefined && hasStatus(error, 422)
			? differentUploadError(error)
			: error;
	});
	const { id, name: shownName = name, fields } = readRecord('container', envelope);
	item.noteCreated(redactor.redactLine(`container "${shorten(shownName)}" (${id})`));
	const unseen = describeUnseen(manifest, fields.files);
	if (unseen !== undefined) item.execution.addHint(redactor.redactLine(unseen));
	const settings = toSettings(manifest.container);
	const output = includeFileDigests ? { ...envelope, files: form.digests } : envelope;
	return await toOutput(client, output, settings);
}

/** Of an upload in a later try, where the first one might have created the container. */
function differentUploadError(error: Error): Error {
	const message = `${error.message}. In each try, the name, the rules and the files of an item must be the same`;
	return extendError(error, { message });
}

/** Services can store a name in another Unicode form than a file name has on macOS, and without spaces around it. */
function toNameKey(name: string): string {
	return name.normalize().trim();
}

/** Other recipients, another end, or download: people might have access who should not, or none. */
async function compareAccess(item: Item, id: string, container: IDataObject): Promise<string[]> {
	const { client, timeZone } = item;
	const drm = isRecord(container.drm) ? container.drm : {};
	const asked = toAccess(parseRules({ ...drm, ...container }, timeZone));
	const shown = toAccess(await readRules(client, id, { timeZone }));
	const differences: string[] = [];
	if (!isSameRule(asked.recipients, shown.recipients)) {
		differences.push(
			`Its recipients: ${formatRule(shown.recipients)} instead of ${formatRule(asked.recipients)}.`,
		);
	}
	if (!isSameRule(asked.lastDay, shown.lastDay)) {
		differences.push(
			`Its last day: ${formatRule(shown.lastDay)} instead of ${formatRule(asked.lastDay)}.`,
		);
	}
	// Without the rule, files can be downloaded.
	if (shown.downloadable !== false && asked.downloadable === false) {
		differences.push('Its files can be downloaded.');
	}
	return differences;
}

/** What can't be understood stays as it came: it is not the same as nothing. */
function toAccess({ rules, unclear }: ReturnType<typeof parseRules>) {
	return {
		recipients: rules.recipients ?? unclear.recipients,
		lastDay: rules.time?.end ?? unclear.time,
		downloadable: rules.downloadable,
	};
}

function formatRule(value: unknown): string {
	const entries = [value ?? []].flat().map((one) => (isObject(one) ? JSON.stringify(one) : one));
	return listSome(entries.map(String)) || 'none';
}

function existsError(name: string, id: string): UserError {
	return new UserError(`A container named "${name}" already exists`, {
		description: `Nothing was uploaded. The ID of the existing container is ${id}. Change "Container Name", delete the existing container, or set "If Container Exists" to Reuse Existing.`,
	});
}

function differentAccessError(name: string, id: string, differences: string[]): UserError {
	return new UserError(`A container named "${name}" already exists with other access rules`, {
		description: `Nothing was uploaded. ${differences.join(' ')} Change the rules of the container with Access Rules (DRM) > Update (its ID is ${id}), or use another name.`,
	});
}

/** What encode returns, for a record from a list. Of the settings, those that were compared. */
async function toReused({ client }: Item, input: EncodeInput, record: IDataObject) {
	const { name, recipients, emailTo, endsOn } = toSettings(input.manifest.container);
	const { fields: container } = readRecord('container', record);
	const envelope = isRecord(record.container) ? record : { org_id: container.owner_id, container };
	const settings = { name, recipients, emailTo, endsOn };
	return await toOutput(client, { ...envelope, reused: true }, settings);
}

async function toOutput(client: Client, envelope: IDataObject, settings: IDataObject) {
	const { id = '' } = readRecord('container', envelope);
	const link = await findContainerLink(client, id, envelope);
	const output = { ...envelope, settings: keepAsIs({ ...settings, link }) };
	return withFirst({ containerId: id, link }, output);
}
