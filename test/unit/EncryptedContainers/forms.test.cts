import type {
	ILoadOptionsFunctions,
	INode,
	INodeParameters,
	INodePropertyOptions,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { getCountries } from '../../../nodes/EncryptedContainers/descriptions/ruleFields';
import { EncryptedContainers } from '../../../nodes/EncryptedContainers/EncryptedContainers.node';

const { description } = new EncryptedContainers();

/** The fields on the form of an operation, as the editor shows them. */
function fieldsFor(parameters: INodeParameters, name = 'encryptedContainers') {
	const node = { type: name, typeVersion: 1, parameters } as unknown as INode;
	return description.properties.filter((field) =>
		NodeHelpers.displayParameter(parameters, field, node, { ...description, name }),
	);
}

it.each([
	['container', 'delete', 'approvalNotice'],
	['contact', 'delete', 'approvalNotice'],
	['drm', 'revoke', 'approvalNotice'],
	['drm', 'update', undefined],
	['drm', 'syncRecipients', 'dryRunNotice'],
	['drm', 'removeEverywhere', 'dryRunNotice'],
	['drm', 'check', 'dryRunNotice'],
	['contact', 'sync', 'dryRunNotice'],
])('%s > %s says what to set where it is a tool: %s', (resource, operation, notice) => {
	const listNotices = (name: string) =>
		fieldsFor({ resource, operation }, name)
			.map((field) => field.name)
			.filter((field) => ['approvalNotice', 'dryRunNotice'].includes(field));

	expect(listNotices('encryptedContainersTool')).toEqual([notice].filter(Boolean));
	expect(listNotices('encryptedContainers')).toEqual([]);
});

const encode = { resource: 'container', operation: 'encode' };

it('Encode has either the fields of the manifest or its JSON', () => {
	const manifest = ['name', 'recipients', 'accessEnds', 'dynamic', 'downloadable', 'drmRules'];
	const [fields, json] = ['fields', 'json'].map((specifyManifest) =>
		fieldsFor({ ...encode, specifyManifest }).map(({ name }) => name),
	);

	expect(fields).toEqual(expect.arrayContaining(manifest));
	expect(fields).not.toContain('manifestJson');
	expect(json.filter((name) => manifest.includes(name))).toEqual([]);
	expect(json).toContain('manifestJson');
});

it('Encode offers the files of the input item where there is one, and a tool has none', () => {
	const choicesOf = (nodeName: string) =>
		fieldsFor(encode, nodeName)
			.filter(({ name }) => name === 'fileSource')
			.map(({ options }) => (options as INodePropertyOptions[]).map(({ value }) => value));

	expect(choicesOf('encryptedContainers')).toEqual([['all', 'named', 'text']]);
	expect(choicesOf('encryptedContainersTool')).toEqual([['named', 'text']]);
});

it('the countries to pick are the 249 of ISO 3166-1, by the names that people search for', async () => {
	const countries = await getCountries.call({} as ILoadOptionsFunctions);
	const names = countries.map(({ name }) => name);
	const codes = names.map((name) => /^\S.*\S \(([A-Z]{2})\)$/.exec(name)?.[1]);

	expect(codes).toEqual(countries.map(({ value }) => value));
	expect([new Set(codes).size, new Set(names).size, names.length]).toEqual([249, 249, 249]);
	expect(codes.filter((code) => ['XK', 'EU', 'UK', 'ZZ'].includes(String(code)))).toEqual([]);
	expect(names).toEqual([...names].sort(new Intl.Collator('en').compare));
	expect(names).toEqual(
		expect.arrayContaining([
			'Germany (DE)',
			"Côte d'Ivoire / Ivory Coast (CI)",
			'Saint Lucia (LC)',
		]),
	);
});
