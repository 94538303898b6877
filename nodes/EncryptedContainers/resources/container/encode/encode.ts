import { UserError, type IDataObject } from 'n8n-workflow';

import { isSameRule, parseRules, readRules } from '../../../../shared/api/shownRules';
import { CONTAINER_LIST, fetchEntries } from '../../../../shared/api/lists';
import { expectRecord, readRecord, withContainerId } from '../../../../shared/api/records';
import type { Client, ServiceRequest } from '../../../../shared/client/client';
import { extendError, hasStatus, isInDoubt, isNotFound } from '../../../../shared/errors/errors';
import { listSome, shorten } from '../../../../shared/parameters/values';
import { keepAsIs } from '../../../../shared/responses/redact';
import { isObject, isRecord } from '../../../../shared/responses/shapes';
import type { Item } from '../../../execution/item';
import { getSettings, type Manifest } from './manifest';
import { MultipartForm, type Form } from './multipartForm';

export interface Upload extends Form {
	item: Item;
	/** What the items of one container must have in common, by the field that sets it. */
	settings: IDataObject;
	/** The container's name; empty if the manifest has none. */
	name: string;
	manifest: Manifest;
	isForAllItems: boolean;
	ifExists: 'create' | 'reuse' | 'fail';
	/** Of the credential, in place of one that the service returns. */
	containerUrl: string;
}

/** The output item of an upload: an envelope of the new container, or of one that fits. */
export async function sendOrReuse(item: Item, upload: Upload): Promise<IDataObject> {
	const { name, ifExists, manifest } = upload;
	const { client, state } = item;
	// The service recognizes what an earlier try sent. Otherwise it can only be found, not created again.
	const isRecognized = state.doubt?.isRecognized === true;
	if (ifExists === 'create' || isRecognized) return await sendUpload(item, upload);
	const userId = await item.getUserId();
	const nameKey = toNameKey(name);
	// Two items with the same name must see each other's container.
	return await item.runAlone(`container "${nameKey}" of ${userId}`, async () => {
		const found = await fetchEntries(client, CONTAINER_LIST, userId, {
			// The service looks for a name anywhere in theirs.
			query: [['name', name.trim()]],
			matches: (entry) => toNameKey(entry.name ?? '') === nameKey,
		});
		const errors: UserError[] = [];
		for (const { id, record } of found) {
			if (ifExists === 'fail') throw existsError(name, id);
			const differences = await listDifferences(item, id, manifest.container);
			if (differences.length === 0) return toReused(upload, record);
			// Another one of the same name can fit.
			errors.push(existsError(name, id, differences));
		}
		if (errors.length > 0) throw errors[0];
		const output = await sendUpload(item, upload);
		return ifExists === 'reuse' ? { ...output, reused: false } : output;
	});
}

async function sendUpload(item: Item, upload: Upload): Promise<IDataObject> {
	const { name, manifest } = upload;
	const { client, run, state, host, redactor } = item;
	const isRecognized = await knowsIdempotencyKeys(client);
	const { doubt } = state;
	if (doubt !== undefined && !(isRecognized && doubt.isRecognized)) {
		throw new UserError('Retry On Fail did not send it again');
	}
	const form = new MultipartForm(host.context, upload);
	const request: ServiceRequest = {
		method: 'POST',
		path: await item.getPath(),
		action: 'encode the files',
		upload: form,
		headers: isRecognized ? { 'Idempotency-Key': state.idempotencyKey } : {},
		idempotent: isRecognized,
		secrets: item.sensitiveValues,
		subject: { containerName: name, createsContainer: true },
		expected: expectRecord('container'),
	};
	const { object: envelope } = await client.requestObject(request).catch((error: Error) => {
		if (isInDoubt(error)) {
			state.doubt = { isRecognized, created: redactor.redactLine(`container "${name}"`) };
		}
		throw doubt !== undefined && hasStatus(error, 422) ? differentUploadError(error) : error;
	});
	const { id, name: shownName = name } = readRecord('container', envelope);
	run.tries.created.push(redactor.redactLine(`container "${shorten(shownName)}" (${id})`));
	const digests = upload.includeFileDigests ? { files: form.files } : {};
	return toOutput(upload, { ...envelope, ...digests }, getSettings(manifest.container));
}

/** Whether the service recognizes an upload that it has already, by its key. */
async function knowsIdempotencyKeys(client: Client): Promise<boolean> {
	const { features } = await client.getCurrentUser().catch((error: unknown) => {
		// A key may be allowed to encode, and not to read its user.
		if (hasStatus(error, 403) || isNotFound(error)) return { features: [] as string[] };
		throw error;
	});
	return features.includes('idempotency_key');
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
async function listDifferences(
	{ client, timeZone }: Item,
	id: string,
	container: IDataObject,
): Promise<string[]> {
	const drm = isRecord(container.drm) ? container.drm : {};
	const [asked, shown] = [
		parseRules({ ...drm, ...container }, timeZone),
		await readRules(client, id, { timeZone }),
		// What can't be understood stays as it came: it is not the same as nothing.
	].map(({ rules, unclear }) => ({
		recipients: rules.recipients ?? unclear.recipients,
		'last day': rules.time?.end ?? unclear.time,
		downloadable: rules.downloadable ?? unclear.downloadable,
	}));
	const differences = (['recipients', 'last day'] as const)
		.filter((what) => !isSameRule(asked[what], shown[what]))
		.map((what) => `Its ${what}: ${describe(shown[what])} instead of ${describe(asked[what])}.`);
	// Without the rule, files can be downloaded.
	const isWider = shown.downloadable !== false && asked.downloadable === false;
	return isWider ? [...differences, 'Its files can be downloaded.'] : differences;
}

function describe(value: unknown): string {
	const entries = [value ?? []].flat().map((one) => (isObject(one) ? JSON.stringify(one) : one));
	return listSome(entries.map(String)) || 'none';
}

/** @param differences in its rules, where it was to be reused */
function existsError(name: string, id: string, differences?: string[]): UserError {
	const message = `A container named "${name}" already exists`;
	if (differences === undefined) {
		return new UserError(message, {
			description: `Nothing was uploaded. The ID of the existing container is ${id}. Change "Container Name", delete the existing container, or set "If Container Exists" to Reuse Existing.`,
		});
	}
	return new UserError(`${message} with other access rules`, {
		description: `Nothing was uploaded. ${differences.join(' ')} Change the rules of the container with Access Rules (DRM) > Update (its ID is ${id}), or use another name.`,
	});
}

/** What encode returns, for a record from a list. Of the settings, those that were compared. */
function toReused(upload: Upload, record: IDataObject): IDataObject {
	const { name, recipients, emailTo, endsOn } = getSettings(upload.manifest.container);
	const { fields: container } = readRecord('container', record);
	const envelope = isRecord(record.container) ? record : { org_id: container.owner_id, container };
	return toOutput(upload, { ...envelope, reused: true }, { name, recipients, emailTo, endsOn });
}

function toOutput({ containerUrl }: Upload, envelope: IDataObject, settings: IDataObject) {
	const { id = '', fields } = readRecord('container', envelope);
	const link = fields.url ?? containerUrl.replaceAll('{containerId}', () => encodeURIComponent(id));
	return withContainerId(id, {
		...envelope,
		settings: keepAsIs({ ...settings, link: link || null }),
	});
}
