import { createHmac } from 'crypto';
import type { IDataObject, UserError } from 'n8n-workflow';

import {
	CONTAINER,
	getContainerIdentity,
	unwrapContainer,
	withContainerId,
} from '../../../../shared/api/records';
import { getContainerUrl } from '../../../../shared/client/connection';
import { hasStatus, isNotFound } from '../../../../shared/errors/errors';
import { shorten } from '../../../../shared/parameters/values';
import { keepAsIs } from '../../../../shared/responses/redact';
import { isRecord } from '../../../../shared/responses/shapes';
import type { Item } from '../../../execution/item';
import { compareAccess, existsError, findByName, toNameKey } from './existing';
import { getSettings, type Manifest } from './manifest';
import { MultipartForm, type PartNames } from './multipartForm';
import type { SourceFile } from './sourceFiles';

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
export async function sendOrReuse(item: Item, upload: Upload): Promise<IDataObject> {
	const { name, ifExists, manifest } = upload;
	const { state } = item;
	// A link that can't be used is an error before anything is sent.
	getContainerUrl(item.client.connection);
	// The service recognizes what an earlier try sent. Otherwise it can only be found, not created again.
	const { idempotencyKey } = state;
	const isKnown = idempotencyKey !== undefined && idempotencyKey === createKey(item, manifest);
	if (ifExists === 'create' || isKnown) return await sendUpload(item, upload);
	if (ifExists === 'fail') state.assertRepeatable();
	// Two items with the same name must see each other's container.
	const key = `container "${toNameKey(name)}" of ${await item.getUserId()}`;
	return await item.runAlone(key, async () => await findOrSend(item, upload));
}

async function findOrSend(item: Item, upload: Upload): Promise<IDataObject> {
	const { name, ifExists, manifest } = upload;
	const errors: UserError[] = [];
	for (const entry of await findByName(item, name)) {
		if (ifExists === 'fail') throw existsError(item, entry);
		const error = await compareAccess(item, entry, manifest.container);
		if (error === undefined) {
			item.run.tries.unknown.delete(describeUpload(item, name));
			return toReused(item, upload, entry.record);
		}
		// Another one of the same name can fit.
		errors.push(error);
	}
	if (errors.length > 0) throw errors[0];
	const output = await sendUpload(item, upload);
	return ifExists === 'reuse' ? { ...output, reused: false } : output;
}

async function sendUpload(item: Item, upload: Upload): Promise<IDataObject> {
	const { name, manifest, files, partNames, includeFileDigests } = upload;
	const { client, run, state, host } = item;
	const title = describeUpload(item, name);
	const { features } = await client.getCurrentUser().catch((error: unknown) => {
		// A key may be allowed to encode, and not to read its user.
		if (hasStatus(error, 403) || isNotFound(error)) return { features: [] as string[] };
		throw error;
	});
	const idempotencyKey = features.includes('idempotency_key')
		? createKey(item, manifest)
		: undefined;
	if (idempotencyKey === undefined || idempotencyKey !== state.idempotencyKey) {
		state.assertRepeatable();
	}
	const form = new MultipartForm(host.context, manifest, files, {
		partNames,
		hasDigests: includeFileDigests,
	});
	const request = {
		method: 'POST',
		path: await item.getPath(),
		action: 'encode the files',
		upload: form,
		idempotent: false,
		idempotencyKey,
		secrets: item.sensitiveValues,
		onUnknownOutcome() {
			state.isOutcomeUnknown = true;
			state.idempotencyKey = idempotencyKey;
			run.tries.unknown.add(title);
		},
		subject: { containerName: name },
		expected: CONTAINER,
	} as const;
	const { object: envelope } = await client.requestObject(request);
	const { id, name: shownName = name } = getContainerIdentity(envelope);
	run.tries.unknown.delete(title);
	run.tries.created.push(item.redactor.redactLine(`container "${shorten(shownName)}" (${id})`));
	const digests = includeFileDigests ? { files: form.files } : {};
	return toOutput(item, envelope, digests, getSettings(manifest.container));
}

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
	return client.redactLine(`container "${name}"`);
}

/** What encode returns, for a record from a list. Of the settings, those that were compared. */
function toReused(item: Item, { manifest }: Upload, record: IDataObject) {
	const { name, recipients, emailTo, endsOn } = getSettings(manifest.container);
	const container = unwrapContainer(record);
	const envelope = isRecord(record.container) ? record : { org_id: container.owner_id, container };
	return toOutput(item, envelope, { reused: true }, { name, recipients, emailTo, endsOn });
}

function toOutput(
	{ client }: Item,
	envelope: IDataObject,
	fields: IDataObject,
	settings: IDataObject,
): IDataObject {
	const { id = '' } = getContainerIdentity(envelope);
	const { url } = unwrapContainer(envelope);
	const containerUrl = getContainerUrl(client.connection);
	const link = url ?? containerUrl.replaceAll('{containerId}', () => encodeURIComponent(id));
	return withContainerId(id, {
		...envelope,
		...fields,
		settings: keepAsIs({ ...settings, link: link === '' ? null : link }),
	});
}
