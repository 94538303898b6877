import type { INodeProperties, INodePropertyCollection, INodeType } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { loadPackage } from '../support/package.cts';
import { rowsOf } from '../support/texts.cts';

let nodeType: INodeType;
let credentialFields: INodeProperties[];

beforeAll(async () => {
	const { loader } = await loadPackage();
	nodeType = loader.getNode('encryptedContainers').type as INodeType;
	credentialFields = loader.getCredential('encryptedContainersApi').type.properties;
}, 60_000);

/** All properties, including those in collections. */
const listAll = (all: INodeProperties[]): INodeProperties[] =>
	all.flatMap((property) => {
		const inner = (property.options ?? []).flatMap((option) => {
			if ('values' in option) return listAll((option as INodePropertyCollection).values);
			return 'type' in option ? listAll([option as INodeProperties]) : [];
		});
		return [property, ...inner];
	});
const find = (name: string) =>
	listAll(nodeType.description.properties).filter((property) => property.name === name);

const picked = { __rl: true, mode: 'list', value: '' };

/** What a node does that somebody adds and leaves as it is; saved workflows contain these names and values. */
const presets = rowsOf<object>(`
	container encode: {
		fileSource: named, binaryPropertyName: data, name: "", recipients: "", accessEnds: afterDays, accessDays: 30,
		dynamic: true, downloadable: false, drmRules: {}, containerMode: perItem, specifyManifest: fields }
	container get: { containerId: picked }
	container delete: { containerId: picked }
	container getEnvelope: { containerId: picked }
	container getActivity: { containers: all, actions: [opened, refused], returnAll: false, limit: 50 }
	container getAll: { returnAll: false, limit: 50 }
	drm get: { containerId: picked }
	drm revoke: { containerId: picked }
	drm update: { containerId: picked, specifyRules: fields, rules: {} }
	drm removeEverywhere: { email: "", ifNobodyIsLeft: revoke, ifWildcardCovers: report, dryRun: false }
	drm syncRecipients: { containers: one, containerId: picked, email: "={{ $json.email }}", keepAddresses: "", dryRun: false }
	drm check: { containers: all, policy: fields, policyFields: { requireEnd: true }, onViolation: report, dryRun: false }
	contact get: { contactEmail: picked }
	contact delete: { contactEmail: picked }
	contact getAll: { returnAll: false, limit: 50 }
	contact upsert: { email: "", dataToSend: defineBelow, fieldsUi: {} }
	contact sync: { email: "={{ $json.email }}", dataToSend: autoMapInputData, inputsToIgnore: "", deleteMissing: false, dryRun: false }
	user getMe: {}
`);

it.each(presets)('%s has these values where nobody sets others', (name, expected) => {
	const [resource, operation] = name.split(' ');
	const { description } = nodeType;
	const given = { resource, operation };
	const values = [description.properties, given, true, false, null, description] as const;

	const { options, requestOptions, ...shown } = NodeHelpers.getNodeParameters(...values) ?? {};

	expect([options, requestOptions]).toEqual([{}, {}]);
	const fields = Object.entries(expected).map(([key, value]) => [
		...[key, value === 'picked' ? picked : (value as unknown)],
	]);
	expect(shown).toEqual({ ...given, ...(Object.fromEntries(fields) as object) });
});

it('has no other operations', () => {
	const operations = nodeType.description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options }) =>
			(options as Array<{ value: string }>).map(
				({ value }) => `${displayOptions?.show?.resource?.join()} ${value}`,
			),
		);
	expect(operations.sort()).toEqual(presets.map(([name]) => name).sort());
});

it('hides what is typed as a password, and the API key', () => {
	expect(find('password')).toMatchObject([{ typeOptions: { password: true } }]);
	const [apiKey] = credentialFields.filter(({ name }) => name === 'apiKey');
	expect(apiKey).toMatchObject({ default: '', typeOptions: { password: true } });
});

it('the credential has no default host, checks certificates, and has no guardrail unless it is set', () => {
	const values = NodeHelpers.getNodeParameters(credentialFields, {}, true, false, null, null);

	expect(values).toMatchObject({
		...{ baseUrl: '', apiKey: '', allowUnauthorizedCerts: false, containerUrl: '' },
		...{ allowedRecipients: '', maxAccessDays: '', forbidDownload: false },
	});
});

it('the node can be the tool of an agent, and needs the credential', () => {
	expect(nodeType.description).toMatchObject({
		...{ name: 'encryptedContainers', usableAsTool: true, inputs: ['main'], outputs: ['main'] },
		credentials: [{ name: 'encryptedContainersApi', required: true }],
	});
});
