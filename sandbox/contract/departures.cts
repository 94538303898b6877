import { Contract } from './contract.cts';
import type { OpenApiDocument, Schema } from './document.cts';
import { loadDocument } from './document.cts';
import type { SandboxSettings } from '../settings.cts';

const contracts = new Map<string, Contract>();

/** @returns the contract as the settings change it; with the default settings, only a name is required in addition */
export function contractFor(settings: SandboxSettings): Contract {
	const { manifestPart, filePart, unknownManifestFields, requiredManifestFields } = settings;
	const { drmTimes, contactFields } = settings;
	const key = JSON.stringify([
		[manifestPart, filePart, unknownManifestFields, requiredManifestFields],
		[drmTimes, contactFields],
	]);
	let contract = contracts.get(key);
	if (contract === undefined) {
		const document = loadDocument();
		depart(document, settings);
		contract = new Contract(document);
		contracts.set(key, contract);
	}
	return contract;
}

/** Applies each way in which a setting departs from docs/openapi.yaml. */
function depart({ paths, components: { schemas } }: OpenApiDocument, settings: SandboxSettings) {
	// The contract leaves open which fields a manifest must have.
	schemas.ManifestContainer.required = settings.requiredManifestFields;
	if (settings.unknownManifestFields === 'accept') {
		delete schemas.Manifest.propertyNames;
		delete schemas.ManifestContainer.propertyNames;
	}
	// The contract has days only.
	if (settings.drmTimes === 'timestamp') {
		const properties = schemas.AccessWindow.properties as Record<string, Schema>;
		for (const edge of ['start', 'end']) {
			properties[edge] = {
				anyOf: [
					{ type: 'string', format: 'date' },
					{ type: 'string', format: 'date-time' },
				],
			};
		}
	}
	// The contract leaves open which fields a contact can have.
	if (settings.contactFields !== null) {
		schemas.ContactRequest.propertyNames = { enum: ['email', ...settings.contactFields] };
	}
	// The contract has one name for each part.
	const rename = (name: string) =>
		({ 'manifest.json': settings.manifestPart, file: settings.filePart })[name] ?? name;
	const renameKeys = (object: object) =>
		Object.fromEntries(Object.entries(object).map(([name, value]) => [rename(name), value]));
	const { EncodeForm } = schemas;
	EncodeForm.required = (EncodeForm.required as string[]).map(rename);
	EncodeForm.properties = renameKeys(EncodeForm.properties as object);
	const encode = paths['/users/{user_id}/containers/encode'].post;
	const form = encode.requestBody?.content['multipart/form-data'];
	if (form !== undefined) form.encoding = renameKeys(form.encoding ?? {}) as typeof form.encoding;
}
