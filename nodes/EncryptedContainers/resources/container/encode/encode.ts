import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { getContainerIdentity } from '../../../../shared/api/records';
import type { ServiceRequest } from '../../../../shared/client/client';
import type { RequestFailure } from '../../../../shared/errors/failure';
import { createInputError } from '../../../../shared/errors/nodeErrors';
import { parseChoice } from '../../../../shared/parameters/scalars';
import { mentionsPassword } from '../../../../shared/responses/passwordNames';
import { describeBody } from '../../../../shared/responses/serviceMessage';
import { markAsStale } from '../../../execution/knownList';
import type { Operation, OperationContext } from '../../../execution/operation';
import { linkToAllItems } from '../../../execution/runContext';
import { findPasswords } from '../../../parameters/passwords';
import { CONTAINER_MODES } from './choices';
import { findContainer, getExistingContainers } from './existingContainers';
import { getAllItemsFiles, getItemFiles } from './inputFiles';
import { getItemParameters } from './itemParameters';
import type { Manifest } from './manifest';
import { getManifest } from './manifest';
import type { FileDigest } from './multipartForm';
import { MultipartForm } from './multipartForm';
import type { EncodeOptions } from './options';
import { getEncodeOptions } from './options';
import { assertSameAccess } from './reuse';
import { assertSameManifest } from './sameManifest';
import type { SourceFile } from './sourceFiles';

interface Upload extends EncodeOptions {
	/** The container's name; empty if the manifest has none. */
	name: string;
	manifest: Manifest;
	files: SourceFile[];
}

/** Encrypts files into a new container (docs/openapi.yaml, encodeFiles). */
export const encode: Operation<Upload> = {
	responseTimeout: 300,
	prepare(item) {
		item.getErrorFields = () => ({ name: toName(item.getParameter('name', '')) });
		const mode = item.getParameter('containerMode', 'perItem');
		const isForAllItems = parseChoice(mode, 'Container Mode', CONTAINER_MODES) === 'allItems';
		if (isForAllItems) {
			// The first item sends the files of all items.
			if (item.itemIndex > 0) return undefined;
			item.pairedItem = linkToAllItems(item.context);
		}
		const options = getEncodeOptions(item);
		const manifest = getManifest(getItemParameters(item.context), item.context.getTimezone());
		if (isForAllItems) assertSameManifest(item.context);
		const name = toName(manifest.container.name);
		if (options.ifExists !== 'create') assertNamed(name);
		// A container that an earlier try might have created can only be found, not created again.
		if (options.ifExists !== 'reuse') item.state.assertRepeatable();
		item.getErrorFields = () => ({ name });
		item.sensitiveValues.push(...findPasswords(manifest, 'Manifest (JSON)'));
		const files = isForAllItems ? getAllItemsFiles(item.context) : getItemFiles(item.context);
		return { name, manifest, files, ...options };
	},
	async send(operation, upload) {
		if (upload.ifExists === 'create') {
			const { envelope, files } = await sendUpload(operation, upload);
			return [{ ...envelope, ...getProof(upload, files) }];
		}
		// Two items with the same name must see each other's container.
		const { name } = upload;
		const key = `container "${name}" of ${await operation.getUserId()}`;
		const subject = `the container name "${name}"`;
		const send = async () => [await sendUnlessExists(operation, upload)];
		return await operation.tasks.runExclusive(
			key,
			async () => await operation.runAlone(key, subject, send),
		);
	},
};

async function sendUnlessExists(operation: OperationContext, upload: Upload): Promise<IDataObject> {
	const { name } = upload;
	const existing = await getExistingContainers(operation);
	if (operation.item.state.isOutcomeUnknown) existing.markAsStale(name);
	const found = await findContainer(operation, name);
	if (found === undefined) {
		const { envelope, files } = await sendUpload(operation, upload);
		existing.set(name, envelope);
		const isReuse = upload.ifExists === 'reuse';
		return { ...envelope, ...(isReuse ? { reused: false } : {}), ...getProof(upload, files) };
	}
	if (upload.ifExists === 'fail') throw containerExistsError(operation, name, found);
	await assertSameAccess(operation, found, upload.manifest.container);
	return { ...found, reused: true, ...getProof(upload) };
}

async function sendUpload(
	operation: OperationContext,
	{ name: sentName, manifest, files, partNames, includeFileDigests }: Upload,
): Promise<{ envelope: IDataObject; files: FileDigest[] }> {
	const { context, state } = operation.item;
	state.assertRepeatable();
	const form = new MultipartForm(context, manifest, files, partNames, includeFileDigests);
	const listKey = await operation.getListKey('containers');
	const request: ServiceRequest = {
		method: 'POST',
		path: await operation.getPath(),
		action: 'encode the files',
		upload: form,
		idempotent: false,
		onUnknownOutcome() {
			state.isOutcomeUnknown = true;
			operation.run.unknown.add(operation.client.redactLine(`container "${sentName}"`));
			markAsStale(listKey, sentName);
		},
		subject: { containerName: sentName },
	};
	const envelope = await operation.client.requestObject(request, checkEnvelope);
	const { id, name = sentName } = getContainerIdentity(envelope);
	operation.run.created.push(operation.client.redactLine(`container "${name}" (${id})`));
	markAsStale(listKey, sentName);
	return { envelope, files: form.files };
}

/** Without an identifier nobody can tell whether there is a container. */
function checkEnvelope(envelope: IDataObject): RequestFailure | undefined {
	if (getContainerIdentity(envelope).id !== undefined) return undefined;
	const received = describeBody({ kind: 'json', value: envelope });
	return { kind: 'unexpected', expected: 'a container with an identifier', received };
}

/** What the output shows of what was sent; nothing was sent without `files`. */
function getProof(
	{ manifest, includeFileDigests, includeSettings }: Upload,
	files?: FileDigest[],
): IDataObject {
	return {
		...(includeFileDigests ? { files: files ?? [] } : {}),
		...(includeSettings ? { settings: files ? withoutSecrets(manifest.container) : {} } : {}),
	};
}

/** A copy without passwords, wherever JSON has them. */
function withoutSecrets(container: IDataObject): IDataObject {
	const hide = (key: string, value: unknown) => (mentionsPassword(key) ? undefined : value);
	return JSON.parse(JSON.stringify(container, hide)) as IDataObject;
}

function containerExistsError(
	{ item, client }: OperationContext,
	name: string,
	existing: IDataObject,
): Error {
	const { id } = getContainerIdentity(existing);
	const found = id && ` The ID of the existing container is ${client.redactLine(id)}.`;
	return createInputError(item.context.getNode(), {
		message: `A container named "${client.redactLine(name)}" already exists`,
		description: `Nothing was uploaded.${found ?? ''} Change "Container Name", delete the existing container, or set "If Container Exists" to Reuse Existing.`,
		itemIndex: item.itemIndex,
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
