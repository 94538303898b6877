import { createHmac } from 'crypto';
import { UserError, type IDataObject } from 'n8n-workflow';

import type { ListEntry } from '../../../../shared/api/lists';
import {
	describeMissing,
	getContainerIdentity,
	unwrapContainer,
	withContainerId,
} from '../../../../shared/api/records';
import type { ServiceRequest } from '../../../../shared/client/client';
import { getContainerUrl } from '../../../../shared/client/connection';
import { buildPath } from '../../../../shared/client/path';
import { hasStatus, isNotFound } from '../../../../shared/errors/nodeErrors';
import { shorten } from '../../../../shared/parameters/values';
import { keepAsIs } from '../../../../shared/responses/redact';
import { isRecord } from '../../../../shared/responses/shapes';
import type { Call } from '../../../execution/operation';
import { addContainer, findContainers, forgetContainers, toNameKey } from './existingContainers';
import { getSettings, type Manifest } from './manifest';
import { MultipartForm, type PartNames } from './multipartForm';
import { compareAccess } from './reuse';
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
	const { name, ifExists, manifest } = upload;
	const { state } = call.item;
	// A link that can't be used is an error before anything is sent.
	getContainerUrl(call.client.connection);
	// The service recognizes what an earlier try sent.
	const { idempotencyKey } = state;
	const isKnown = idempotencyKey !== undefined && idempotencyKey === createKey(call, manifest);
	// What an earlier try might have created can only be found, not created again.
	if (ifExists !== 'reuse' && !isKnown) state.assertRepeatable();
	if (ifExists === 'create' || isKnown) return await sendUpload(call, upload);
	// Two items with the same name must see each other's container.
	const key = `container "${toNameKey(name)}" of ${await call.getUserId()}`;
	return await call.runAlone(key, async () => await findOrSend(call, upload));
}

async function findOrSend(call: Call, upload: Upload): Promise<IDataObject> {
	const { name, ifExists, manifest } = upload;
	const check = ifExists === 'fail' ? refuse : compareAccess;
	// Only a new list can tell whether it was created.
	if (call.run.tries.unknown.has(describeUpload(call, name))) await forgetContainers(call);
	/** Of the first that exists with other access: another one of the same name can fit. */
	let difference: UserError | undefined;
	for (const found of await findContainers(call, name)) {
		const problem = await check(call, found, manifest.container).catch((error: unknown) => {
			if (isNotFound(error)) return 'deleted since' as const;
			throw error;
		});
		if (problem === undefined) {
			// What an earlier try might have created was not there before.
			call.item.state.isReused = !call.run.tries.unknown.delete(describeUpload(call, name));
			return toReused(call, upload, found.record);
		}
		if (problem === 'deleted since') continue;
		difference ??= problem;
		if (ifExists === 'fail') break;
	}
	if (difference !== undefined) throw difference;
	const output = await sendUpload(call, upload);
	return ifExists === 'reuse' ? { ...output, reused: false } : output;
}

/** The error for a container that exists. @throws NodeApiError for one that was deleted meanwhile */
async function refuse({ client }: Call, { id, name = '' }: ListEntry): Promise<UserError> {
	const path = buildPath(['containers', id]);
	const subject = { containerId: id };
	await client.requestObject({ method: 'GET', path, action: 'get the container', subject });
	return new UserError(`A container named "${client.redactLine(name)}" already exists`, {
		description: `Nothing was uploaded. The ID of the existing container is ${client.redactLine(id)}. Change "Container Name", delete the existing container, or set "If Container Exists" to Reuse Existing.`,
	});
}

async function sendUpload(call: Call, upload: Upload): Promise<IDataObject> {
	const { name, manifest, partNames, includeFileDigests } = upload;
	const { client, item, run } = call;
	const { state, host } = item;
	const hasKeys = await call.hasFeature('idempotency_key').catch((error: unknown) => {
		// A key may be allowed to encode, and not to read its user.
		if (hasStatus(error, '403') || isNotFound(error)) return false;
		throw error;
	});
	const idempotencyKey = hasKeys ? createKey(call, manifest) : undefined;
	if (idempotencyKey === undefined || idempotencyKey !== state.idempotencyKey) {
		state.assertRepeatable();
	}
	const files = deduplicateFileNames(upload.files);
	const form = new MultipartForm(host.context, manifest, files, {
		partNames,
		hasDigests: includeFileDigests,
	});
	const request: ServiceRequest = {
		method: 'POST',
		path: await call.getPath(),
		action: 'encode the files',
		upload: form,
		idempotent: false,
		idempotencyKey,
		secrets: item.sensitiveValues,
		onUnknownOutcome() {
			state.isOutcomeUnknown = true;
			state.idempotencyKey = idempotencyKey;
			run.tries.unknown.add(describeUpload(call, name));
		},
		subject: { containerName: name },
	};
	const check = (envelope: IDataObject) =>
		getContainerIdentity(envelope).id === undefined
			? describeMissing('a container with a uuid', envelope)
			: undefined;
	const envelope = await client.requestObject(request, check);
	const { id = '', name: shownName = name } = getContainerIdentity(envelope);
	run.tries.unknown.delete(describeUpload(call, name));
	run.tries.created.push(call.redactLine(`container "${shorten(shownName)}" (${id})`));
	// Another item can return it, which doesn't know the password.
	await call.redact([envelope]);
	await addContainer(call, { id, name, record: envelope });
	return toOutput(call, envelope, {
		...(includeFileDigests ? { files: form.files } : {}),
		settings: getSettings(manifest.container),
	});
}

/** The same for each try of an item, and for no other upload. Keyed, because the manifest can contain a password. */
function createKey({ item, run, client }: Call, manifest: Manifest): string {
	const { context, node, isCalledByAgent } = item.host;
	// In one execution, an agent can call the node several times.
	const execution = (!isCalledByAgent && context.getExecutionId()) || run.tries.id;
	const { $runIndex: runIndex } = context.getWorkflowDataProxy(item.index);
	const source = JSON.stringify([execution, node.id, runIndex, item.index, manifest]);
	return createHmac('sha256', client.connection.apiKey).update(source).digest('hex');
}

function describeUpload({ client }: Call, name: string): string {
	return client.redactLine(`container "${name}"`);
}

/** Of the settings, those that were compared. */
function toReused(call: Call, { manifest, includeFileDigests }: Upload, record: IDataObject) {
	const { name, recipients, emailTo, endsOn } = getSettings(manifest.container);
	return toOutput(call, toEnvelope(record), {
		reused: true,
		...(includeFileDigests ? { files: [] } : {}),
		settings: { name, recipients, emailTo, endsOn },
	});
}

/** What encode returns, also for a record from a list. */
function toEnvelope(record: IDataObject): IDataObject {
	if (isRecord(record.container)) return record;
	const container = unwrapContainer(record);
	const { owner_id: owner } = container;
	return owner === undefined ? { container } : { org_id: owner, container };
}

function toOutput(
	{ client }: Call,
	envelope: IDataObject,
	{ settings, ...others }: IDataObject & { settings: IDataObject },
): IDataObject {
	const { id = '' } = getContainerIdentity(envelope);
	const { url } = unwrapContainer(envelope);
	const containerUrl = getContainerUrl(client.connection);
	const link = url ?? containerUrl.replaceAll('{containerId}', () => encodeURIComponent(id));
	return withContainerId(id, {
		...envelope,
		...others,
		settings: keepAsIs({ ...settings, link: link === '' ? null : link }),
	});
}
