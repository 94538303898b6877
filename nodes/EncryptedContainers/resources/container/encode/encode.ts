import { UserError, type IDataObject } from 'n8n-workflow';

import { getContainerIdentity, getNewContainerId } from '../../../../shared/api/records';
import type { ServiceRequest } from '../../../../shared/client/client';
import { buildPath } from '../../../../shared/client/path';
import type { RequestFailure } from '../../../../shared/errors/failure';
import { createInputError, isNotFound } from '../../../../shared/errors/nodeErrors';
import { isForEverybody } from '../../../../shared/parameters/addresses';
import { addDays, parseServiceDate } from '../../../../shared/parameters/dates';
import { shorten } from '../../../../shared/parameters/values';
import { describeBody } from '../../../../shared/responses/serviceMessage';
import { isRecord } from '../../../../shared/responses/shapes';
import type { Call } from '../../../execution/operation';
import { listRecipients } from '../../../parameters/guardrails';
import { findContainers, rememberContainer, toNameKey } from './existingContainers';
import { getSettings, type Manifest } from './manifest';
import { MultipartForm, type PartNames } from './multipartForm';
import { assertSameAccess } from './reuse';
import { deduplicateFileNames, type SourceFile } from './sourceFiles';

export interface Upload {
	/** The container's name; empty if the manifest has none. */
	name: string;
	manifest: Manifest;
	files: SourceFile[];
	isForAllItems: boolean;
	partNames: PartNames;
	ifExists: 'create' | 'reuse' | 'fail';
	includeFileDigests: boolean;
}

/** The output item of an upload: an envelope of the new container, or of one that fits. */
export async function sendOrReuse(call: Call, upload: Upload): Promise<IDataObject> {
	const { name, ifExists } = upload;
	// A container that an earlier try might have created can only be found, not created again.
	if (ifExists !== 'reuse') call.item.state.assertRepeatable();
	if (ifExists === 'create') return await sendUpload(call, upload);
	// Two items with the same name must see each other's container.
	const key = `container "${toNameKey(name)}" of ${await call.getUserId()}`;
	return await call.runAlone(key, async () => await findOrSend(call, upload));
}

async function findOrSend(call: Call, upload: Upload): Promise<IDataObject> {
	const { name, ifExists, manifest } = upload;
	const check = ifExists === 'fail' ? refuseContainer : assertSameAccess;
	/** Of the first that exists with other access: another one of the same name can fit. */
	let difference: Error | undefined;
	for await (const found of findContainers(call, name)) {
		const fits = await check(call, found, manifest.container).then(
			() => true,
			(error: unknown) => {
				if (error instanceof UserError) difference ??= error;
				// One of the list can be deleted since.
				else if (!isNotFound(error)) throw error;
				return false;
			},
		);
		if (!fits) continue;
		const { recipients, emailTo, endsOn } = getSettings(manifest.container);
		const settings = { name, recipients, emailTo, endsOn };
		const files = upload.includeFileDigests ? { files: [] } : {};
		// What might have been created by an upload before was not there already.
		call.item.state.isReused = !call.run.tries.unknown.delete(describeUpload(call, name));
		return { ...found, reused: true, ...files, settings };
	}
	if (difference !== undefined) throw difference;
	const envelope = await sendUpload(call, upload);
	return { ...envelope, ...(ifExists === 'reuse' ? { reused: false } : {}) };
}

/** @throws NodeOperationError for a container that exists, and NodeApiError for one that was deleted meanwhile */
async function refuseContainer({ client, item }: Call, existing: IDataObject, wanted: IDataObject) {
	const { id } = getContainerIdentity(existing);
	if (id !== undefined) {
		const path = buildPath(['containers', id]);
		const subject = { containerId: id };
		await client.requestObject({ method: 'GET', path, action: 'get the container', subject });
	}
	const found = id && ` The ID of the existing container is ${client.redactLine(id)}.`;
	throw createInputError(item.host.node, {
		message: `A container named "${client.redactLine(String(wanted.name))}" already exists`,
		description: `Nothing was uploaded.${found ?? ''} Change "Container Name", delete the existing container, or set "If Container Exists" to Reuse Existing.`,
		itemIndex: item.index,
	});
}

async function sendUpload(call: Call, upload: Upload): Promise<IDataObject> {
	const { name: sentName, manifest, partNames, includeFileDigests } = upload;
	const { client, item, run } = call;
	const { state, host } = item;
	state.assertRepeatable();
	const files = deduplicateFileNames(upload.files);
	const form = new MultipartForm(host.context, manifest, files, partNames, includeFileDigests);
	const request: ServiceRequest = {
		method: 'POST',
		path: await call.getPath(),
		action: 'encode the files',
		upload: form,
		idempotent: false,
		onUnknownOutcome() {
			state.isOutcomeUnknown = true;
			run.tries.unknown.add(describeUpload(call, sentName));
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
	run.tries.created.push(client.redactLine(`container "${shownName}" (${id})`));
	// Another execution can return it, which doesn't know the password.
	await client.redact([envelope]);
	await rememberContainer(call, sentName, envelope);
	const more = findMoreAccess(manifest, envelope);
	if (more !== undefined) {
		// It must not be created again.
		state.isOutcomeUnknown = true;
		item.getErrorFields = () => ({ name, containerId: id });
		const advice = `The container was created with other access: its ID is ${id}. Look at its rules with DRM > Get, then change them or delete it.`;
		throw client.createError(
			{ ...request, idempotent: true },
			{ kind: 'unexpected', ...more, advice },
		);
	}
	return {
		...envelope,
		...(includeFileDigests ? { files: form.files } : {}),
		settings: getSettings(manifest.container),
	};
}

function describeUpload({ client }: Call, name: string): string {
	return client.redactLine(`container "${name}"`);
}

function checkEnvelope(envelope: IDataObject): RequestFailure | undefined {
	if (getNewContainerId(envelope) !== undefined) return undefined;
	const received = describeBody({ kind: 'json', value: envelope });
	return { kind: 'unexpected', expected: 'a container with a uuid', received };
}

/** What a new container plainly gives beyond what was sent. What it shows in another form, or not, proves nothing. */
function findMoreAccess(manifest: IDataObject, envelope: IDataObject) {
	const { container: created = envelope } = envelope;
	const [sent, shown] = [manifest.container, created].map((container) => {
		const record = isRecord(container) ? container : {};
		const rules = { ...record, ...(isRecord(record.drm) ? record.drm : {}) } as IDataObject;
		const end = isRecord(rules.time) ? parseServiceDate(rules.time.end) : undefined;
		return { ...rules, 'time.end': end } as IDataObject;
	});
	const isOpen = (rules: IDataObject) => listRecipients(rules).some(isForEverybody);
	const isLater = (end: unknown, day: unknown) => end && day && addDays(String(end), -1) > day;
	const rules = {
		// Where none were sent, it is up to the service.
		recipients: isOpen(shown) && listRecipients(sent).length > 0 && !isOpen(sent),
		downloadable: shown.downloadable === true && sent.downloadable === false,
		// An end can show as the first moment without access.
		'time.end': isLater(shown['time.end'], sent['time.end']),
	};
	const rule = Object.entries(rules).find(([, isMore]) => isMore)?.[0];
	if (rule === undefined) return undefined;
	const [expected, received] = [sent, shown].map((one) => `${rule} ${JSON.stringify(one[rule])}`);
	return { expected, received };
}
