import { UserError, type IDataObject } from 'n8n-workflow';

import { findRules, parseRules } from '../../../../shared/api/drmRules';
import { getContainerIdentity, getNewContainerId } from '../../../../shared/api/records';
import { isSameRule, isSet } from '../../../../shared/api/ruleValues';
import type { ServiceRequest } from '../../../../shared/client/client';
import { buildPath } from '../../../../shared/client/path';
import type { RequestFailure } from '../../../../shared/errors/failure';
import { createInputError, isNotFound } from '../../../../shared/errors/nodeErrors';
import { isDayAnywhere, parseServiceDate } from '../../../../shared/parameters/dates';
import { shorten } from '../../../../shared/parameters/values';
import { describeBody } from '../../../../shared/responses/serviceMessage';
import type { Call } from '../../../execution/operation';
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
	const subject = `the container name "${name}"`;
	return await call.runAlone(key, subject, async () => await findOrSend(call, upload), false);
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
		call.item.state.isReused = !call.run.memory.unknown.delete(describeUpload(call, name));
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
			run.memory.unknown.add(describeUpload(call, sentName));
		},
		subject: { containerName: sentName },
	};
	const sending = client.requestObject(request, (found) => checkEnvelope(found, manifest));
	const envelope = await sending.catch(async (error: unknown) => {
		if (state.isOutcomeUnknown) await rememberContainer(call, sentName);
		throw error;
	});
	const { name = sentName } = getContainerIdentity(envelope);
	const id = getNewContainerId(envelope);
	const shownName = shorten(client.redactLine(name));
	run.memory.created.push(client.redactLine(`container "${shownName}" (${id})`));
	// Another execution can return it, which doesn't know the password.
	await client.redact([envelope]);
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

/** What decides who can open a container and for how long. A record can have an `ip` or `opens` of another kind. */
const ACCESS = ['recipients', 'time', 'downloadable', 'dynamic'];

/** A service can set other rules than those that were sent. What it doesn't show proves nothing. */
function checkEnvelope(envelope: IDataObject, { container }: Manifest): RequestFailure | undefined {
	const id = getNewContainerId(envelope);
	if (id === undefined) {
		const received = describeBody({ kind: 'json', value: envelope });
		return { kind: 'unexpected', expected: 'a container with a uuid', received };
	}
	const [sent, shown] = [container, envelope].map((record) => {
		const { time, ...rules } = parseRules(findRules(record), ACCESS).rules;
		return { ...rules, 'time.end': time?.end } as IDataObject;
	});
	const other = Object.keys(sent).find((key) => isOther(sent[key], shown[key]));
	if (other === undefined) return undefined;
	const [expected, received] = [sent, shown].map((one) => `${other} ${JSON.stringify(one[other])}`);
	const advice = `The container was created with other access: its ID is ${id}. Check its rules with DRM > Get, then change them or delete it.`;
	return { kind: 'unexpected', expected, received, advice };
}

/** Whether one says something else: a service can show no recipients, and a day as a moment. */
function isOther(wanted: unknown, shown: unknown): boolean {
	if (!isSet(wanted) || !isSet(shown) || isSameRule(shown, [])) return false;
	const day = parseServiceDate(wanted);
	if (day === undefined) return !isSameRule(wanted, shown);
	return parseServiceDate(shown) !== undefined && !isDayAnywhere(shown, day);
}
