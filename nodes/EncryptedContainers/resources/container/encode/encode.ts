import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { getContainerIdentity } from '../../../../shared/api/records';
import type { Target } from '../../../execution/pathParams';
import { pathOf, readTarget } from '../../../execution/pathParams';
import { parseBoolean } from '../../../parameters/drmRules';
import { createInputError } from '../../../../shared/errors/nodeErrors';
import type { Call, Operation } from '../../../execution/defineOperation';
import { inputItems } from '../../../execution/runContext';
import type { SourceFile } from './sourceFiles';
import type { FileDigest, PartNames } from './multipartForm';
import { MultipartForm } from './multipartForm';
import { getAllItemsFiles, getItemFiles } from './inputFiles';
import { existingContainers, readContainers } from './existingContainers';
import type { Manifest } from './manifest';
import { getManifest } from './manifest';

type IfExists = 'create' | 'reuse' | 'fail';

interface NewContainer {
	target: Target;
	manifest: Manifest;
	files: SourceFile[];
	partNames: PartNames;
	ifExists: IfExists;
	includeFileDigests: boolean;
}

/** Stands for an item whose files go into the container of the first item. */
const CARRIED = 'carried';

/** Encrypts files into a new container (service-api.md, end point 2). */
export const encodeFiles: Operation<NewContainer | typeof CARRIED> = {
	prepare(context, route) {
		const isShared = isForAllItems(context);
		if (isShared && context.getItemIndex() > 0) return CARRIED;
		const options = readOptions(context);
		const manifest = getManifest(context);
		if (options.ifExists !== 'create') assertNamed(manifest);
		return {
			target: readTarget(context, route),
			manifest,
			files: isShared ? getAllItemsFiles(context) : getItemFiles(context),
			...options,
		};
	},
	isCarriedByAnother: (prepared) => prepared === CARRIED,
	sourcesOf: (context) =>
		isForAllItems(context)
			? inputItems(context).map((_item, index) => index)
			: [context.getItemIndex()],
	identify: (context, prepared) => ({ name: enteredName(context, prepared) }),
	secretsOf: (prepared) => (prepared === CARRIED ? [] : [passwordOf(prepared)]),
	async send(call, prepared) {
		if (prepared === CARRIED) return [];
		if (prepared.ifExists === 'create') {
			const { envelope, files } = await encode(call, prepared);
			return [withDigests(prepared, envelope, files)];
		}
		// Two items of one name must see each other's container.
		const key = `container ${prepared.target.userId ?? ''} ${nameOf(prepared)}`;
		return await call.run.inOrder(key, async () => [await encodeUnlessThere(call, prepared)]);
	},
};

function isForAllItems(context: IExecutePaginationFunctions): boolean {
	return context.getNodeParameter('containerMode', 'perItem') === 'allItems';
}

async function encodeUnlessThere(call: Call, prepared: NewContainer): Promise<IDataObject> {
	const name = nameOf(prepared) ?? '';
	const { target } = prepared;
	const existing = await existingContainers(call, target);
	const present = await existing.find(name, async () => await readContainers(call, target));
	if (present === undefined) {
		const { envelope, files } = await encode(call, prepared, () => existing.doubt(name));
		existing.add(name, envelope);
		return withDigests(prepared, envelope, files);
	}
	if (prepared.ifExists === 'fail') throw alreadyThere(call, name, present);
	return withDigests(prepared, present, []);
}

async function encode(
	call: Call,
	prepared: NewContainer,
	onDoubt?: () => void,
): Promise<{ envelope: IDataObject; files: FileDigest[] }> {
	const form = MultipartForm.create(
		call.context,
		prepared.manifest,
		prepared.files,
		prepared.partNames,
		prepared.includeFileDigests,
	);
	const envelope = await call.client.record({
		method: 'POST',
		path: await pathOf(call, prepared.target),
		action: 'encode the files',
		upload: form,
		creates: true,
		onDoubt,
		subject: { containerName: nameOf(prepared) },
	});
	const { id, name = nameOf(prepared) } = getContainerIdentity(envelope);
	call.run.made.push(`container "${name}"${id === undefined ? '' : ` (${id})`}`);
	return { envelope, files: form.files };
}

function withDigests(
	{ includeFileDigests }: NewContainer,
	envelope: IDataObject,
	files: FileDigest[],
): IDataObject {
	return includeFileDigests ? { ...envelope, files } : envelope;
}

function alreadyThere(call: Call, name: string, present: IDataObject): Error {
	const { id } = getContainerIdentity(present);
	return createInputError(call.context.getNode(), {
		message: `A container named "${name}" exists already`,
		description: `Nothing was sent${id === undefined ? '' : `; the present one is ${id}`}. Change "Container Name", delete that container, or set "If Container Exists" to Reuse Existing.`,
		itemIndex: call.itemIndex,
	});
}

function readOptions(
	context: IExecutePaginationFunctions,
): Pick<NewContainer, 'partNames' | 'ifExists' | 'includeFileDigests'> {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	return {
		partNames: {
			manifest: partName(options.manifestPartName, 'manifest.json', 'Manifest Part Name'),
			file: partName(options.filePartName, 'file', 'File Part Name'),
		},
		ifExists: readIfExists(options.ifExists ?? 'create'),
		includeFileDigests: parseBoolean(options.includeFileDigests ?? false, 'Include File Digests'),
	};
}

function readIfExists(value: unknown): IfExists {
	if (value === 'create' || value === 'reuse' || value === 'fail') return value;
	throw new UserError('"If Container Exists" has an unknown value', {
		description:
			'Choose Create Another, Fail or Reuse Existing, or give create, fail or reuse by expression.',
	});
}

function enteredName(
	context: IExecutePaginationFunctions,
	prepared: NewContainer | typeof CARRIED | undefined,
): string {
	const name = isReady(prepared) ? nameOf(prepared) : context.getNodeParameter('name', '');
	return typeof name === 'string' ? name : '';
}

function isReady(prepared: NewContainer | typeof CARRIED | undefined): prepared is NewContainer {
	return prepared !== undefined && prepared !== CARRIED;
}

function assertNamed({ container }: Manifest): void {
	if (typeof container.name === 'string' && container.name !== '') return;
	throw new UserError('The manifest has no name to look for', {
		description:
			'"If Container Exists" finds containers by name. Add "name" to "container" in "Manifest (JSON)", or set the option to Create Another.',
	});
}

function partName(value: unknown, preset: string, label: string): string {
	if (value === undefined) return preset;
	if (typeof value === 'string' && /^[\w.[\]-]+$/.test(value.trim())) return value.trim();
	throw new UserError(`"${label}" is not a name for a part of a request`, {
		description: `Enter letters, digits, dots, hyphens or underscores in "${label}", usually ${preset}.`,
	});
}

function nameOf({ manifest }: NewContainer): string | undefined {
	return typeof manifest.container.name === 'string' ? manifest.container.name : undefined;
}

function passwordOf({ manifest }: NewContainer): string | undefined {
	const { password } = manifest.container;
	return password === undefined || password === null ? undefined : String(password);
}
