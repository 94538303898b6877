import { createHmac } from 'crypto';
import { UserError, type IDataObject } from 'n8n-workflow';

import { isSameRule, parseRules, readRules } from '../../../../shared/api/drmRules';
import { CONTAINER_LIST, fetchEntries, type ListEntry } from '../../../../shared/api/lists';
import { expectRecord, readRecord, withContainerId } from '../../../../shared/api/records';
import { getContainerUrl } from '../../../../shared/client/connection';
import { hasStatus, isNotFound } from '../../../../shared/errors/errors';
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
}

/** The output item of an upload: an envelope of the new container, or of one that fits. */
export async function sendOrReuse(item: Item, upload: Upload): Promise<IDataObject> {
	const { name, ifExists, manifest } = upload;
	const { client, state } = item;
	// A link that can't be used is an error before anything is sent.
	getContainerUrl(client.connection);
	// The service recognizes what an earlier try sent. Otherwise it can only be found, not created again.
	const isKnown = state.idempotencyKey === createKey(item, manifest);
	if (ifExists === 'create' || isKnown) return await sendUpload(item, upload);
	if (ifExists === 'fail') state.assertRepeatable();
	const userId = await item.getUserId().catch(failAsBefore(item));
	const nameKey = toNameKey(name);
	// Two items with the same name must see each other's container.
	return await item.runAlone(`container "${nameKey}" of ${userId}`, async () => {
		const errors: UserError[] = [];
		// The service looks for a name anywhere in theirs.
		const query: Array<[string, string]> = [['name', name.trim()]];
		const found = fetchEntries(client, CONTAINER_LIST, userId, { query });
		for (const entry of await found.catch(failAsBefore(item))) {
			if (toNameKey(entry.name ?? '') !== nameKey) continue;
			const differences =
				ifExists === 'reuse' ? await listDifferences(item, entry, manifest.container) : undefined;
			if (differences?.length === 0) {
				item.run.tries.unknown.delete(describeUpload(item, name));
				return toReused(item, upload, entry.record);
			}
			// Another one of the same name can fit.
			errors.push(existsError(item, entry, differences));
		}
		if (errors.length > 0) throw errors[0];
		const output = await sendUpload(item, upload);
		return ifExists === 'reuse' ? { ...output, reused: false } : output;
	});
}

async function sendUpload(item: Item, upload: Upload): Promise<IDataObject> {
	const { name, manifest } = upload;
	const { client, run, state, host } = item;
	const title = describeUpload(item, name);
	const { features } = await client.getCurrentUser().catch((error: unknown) => {
		// A key may be allowed to encode, and not to read its user.
		if (hasStatus(error, 403) || isNotFound(error)) return { features: [] as string[] };
		return failAsBefore(item)(error);
	});
	const isRecognized = features.includes('idempotency_key');
	const idempotencyKey = isRecognized ? createKey(item, manifest) : undefined;
	if (!isRecognized || idempotencyKey !== state.idempotencyKey) state.assertRepeatable();
	const form = new MultipartForm(host.context, upload);
	const { object: envelope } = await client.requestObject({
		method: 'POST',
		path: await item.getPath(),
		action: 'encode the files',
		upload: form,
		headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
		idempotent: isRecognized,
		secrets: item.sensitiveValues,
		onUnknownOutcome() {
			state.isOutcomeUnknown = true;
			state.idempotencyKey = idempotencyKey;
			run.tries.unknown.add(title);
		},
		subject: { containerName: name, createsContainer: true },
		expected: expectRecord('container'),
	});
	const { id, name: shownName = name } = readRecord('container', envelope);
	run.tries.unknown.delete(title);
	run.tries.created.push(item.redactor.redactLine(`container "${shorten(shownName)}" (${id})`));
	const digests = upload.includeFileDigests ? { files: form.files } : {};
	return toOutput(item, envelope, digests, getSettings(manifest.container));
}

/** What an earlier try might have created matters more than why this one can't find out. */
const failAsBefore =
	({ state }: Item) =>
	(error: unknown): never => {
		state.assertRepeatable();
		throw error;
	};

/** The same for each try of an item, and for no other upload. Keyed, because the manifest can contain a password. */
function createKey({ host, index, run, client }: Item, manifest: Manifest): string {
	const { context, node, isCalledByAgent } = host;
	// In one execution, an agent can call the node several times.
	const execution = (!isCalledByAgent && context.getExecutionId()) || run.tries.id;
	const { $runIndex: runIndex } = context.getWorkflowDataProxy(index);
	const source = JSON.stringify([execution, node.id, runIndex, index, manifest]);
	return createHmac('sha256', client.connection.apiKey).update(source).digest('hex');
}

function describeUpload({ client }: Item, name: string): string {
	return client.redactor.redactLine(`container "${name}"`);
}

/** Services can store a name in another Unicode form than a file name has on macOS, and without spaces around it. */
function toNameKey(name: string): string {
	return name.normalize().trim();
}

/** Other recipients, another end, or download: people might have access who should not, or none. */
async function listDifferences(
	{ client, timeZone }: Item,
	{ id }: ListEntry,
	container: IDataObject,
): Promise<string[]> {
	const drm = isRecord(container.drm) ? container.drm : {};
	const [asked, shown] = [
		parseRules({ ...drm, ...container }, timeZone),
		await readRules(client, id, { timeZone, needsRecipients: false }),
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
function existsError({ client }: Item, { id, name = '' }: ListEntry, differences?: string[]) {
	const texts = [name, id, differences?.join(' ') ?? ''];
	const [shownName, shownId, details] = texts.map((text) => client.redactor.redactLine(text));
	const message = `A container named "${shownName}" already exists`;
	if (differences === undefined) {
		return new UserError(message, {
			description: `Nothing was uploaded. The ID of the existing container is ${shownId}. Change "Container Name", delete the existing container, or set "If Container Exists" to Reuse Existing.`,
		});
	}
	return new UserError(`${message} with other access rules`, {
		description: `Nothing was uploaded. ${details} Change the rules of the container with Access Rules (DRM) > Update (its ID is ${shownId}), or use another name.`,
	});
}

/** What encode returns, for a record from a list. Of the settings, those that were compared. */
function toReused(item: Item, { manifest }: Upload, record: IDataObject) {
	const { name, recipients, emailTo, endsOn } = getSettings(manifest.container);
	const { fields: container } = readRecord('container', record);
	const envelope = isRecord(record.container) ? record : { org_id: container.owner_id, container };
	return toOutput(item, envelope, { reused: true }, { name, recipients, emailTo, endsOn });
}

function toOutput(
	{ client }: Item,
	envelope: IDataObject,
	fields: IDataObject,
	settings: IDataObject,
): IDataObject {
	const { id = '', fields: shown } = readRecord('container', envelope);
	const containerUrl = getContainerUrl(client.connection);
	const link = shown.url ?? containerUrl.replaceAll('{containerId}', () => encodeURIComponent(id));
	return withContainerId(id, {
		...envelope,
		...fields,
		settings: keepAsIs({ ...settings, link: link === '' ? null : link }),
	});
}
