import type { INodeProperties, INodePropertyCollection, INodeType } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { loadPackage } from '../support/package.cts';
import { rowsOf } from '../support/texts.cts';

let nodeType: INodeType;
let triggerType: INodeType;
let instantType: INodeType;
let credentialFields: INodeProperties[];

beforeAll(async () => {
	const { loader } = await loadPackage();
	nodeType = loader.getNode('encryptedContainers').type as INodeType;
	triggerType = loader.getNode('encryptedContainersTrigger').type as INodeType;
	instantType = loader.getNode('encryptedContainersInstantTrigger').type as INodeType;
	credentialFields = loader.getCredential('encryptedContainersApi').type.properties;
});

/** All properties, including those in collections. */
const listAll = (all: INodeProperties[]): INodeProperties[] =>
	all.flatMap((property) => {
		const inner = (property.options ?? []).flatMap((option) => {
			if ('values' in option) return listAll((option as INodePropertyCollection).values);
			return 'type' in option ? listAll([option as INodeProperties]) : [];
		});
		return [property, ...inner];
	});
const LIMITS = ['maxConcurrent', 'maxRetries', 'responseTimeout'];

/** The values of a choice, or the names of what can be added to a collection, but for the limits. */
const listChoices = (properties: INodeProperties[], name: string) => {
	const options = listAll(properties)
		.filter((property) => property.name === name)
		.flatMap((property) => property.options ?? []);
	const names = options.map((option) => ('value' in option ? String(option.value) : option.name));
	return [...new Set(names)].filter((one) => !LIMITS.includes(one)).sort();
};
const find = (name: string) =>
	listAll(nodeType.description.properties).filter((property) => property.name === name);

const picked = { __rl: true, mode: 'list', value: '' };

/** What a node does that somebody adds and leaves as it is; saved workflows contain these names and values. */
const presets = rowsOf<object>(`
	container encode: {
		fileSource: named, binaryPropertyName: data, name: "", recipients: "", accessEnds: afterDays, accessDays: 30,
		dynamic: true, downloadable: false, drmRules: {}, containerMode: perItem, specifyManifest: fields }
	container decode: { containerId: picked, fileNames: "", password: "", binaryPropertyName: data }
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
	request create: { name: "", senders: "", message: "", requestEnds: afterDays, requestDays: 14 }
	request get: { requestId: picked }
	request getAll: { returnAll: false, limit: 50 }
	request delete: { requestId: picked }
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

/** What a field can be, or what can be added to it; workflows contain these names too. Each operation also has the limits. */
const choices = rowsOf<string>(`
	container encode fileSource: all named text
	container encode accessEnds: afterDays never onDate
	container encode drmRules: geoAllow geoBlock ipAllow ipBlock opens password timeStart
	container encode containerMode: allItems perItem
	container encode specifyManifest: fields json
	container encode options: allowNoRecipients allowWildcards allowedRecipients ifExists includeFileDigests partNames userId
	container encode ifExists: create fail reuse
	container encode partNames: current older
	container getActivity containers: all one
	container getActivity actions: accessRequested codeRefused created decoded deleted downloaded filesReceived opened refused rulesChanged viewed
	container getActivity options: after userId
	container getEnvelope options: userId
	container getAll options: createdAfter createdBefore includeRules nameContains query recipient userId
	container getAll query: parameters
	drm check containers: all byName one
	drm check policy: credential fields
	drm check policyFields: allowedRecipients forbidDownload maxAccessDays requireEnd
	drm check onViolation: fix report revoke
	drm check options: maxEnded query userId
	drm removeEverywhere ifNobodyIsLeft: revoke skip
	drm removeEverywhere ifWildcardCovers: removeWildcard report
	drm removeEverywhere options: nameContains query userId
	drm syncRecipients containers: byName one
	drm syncRecipients options: allowWildcards allowedRecipients maxRemovals query userId
	drm update specifyRules: fields json
	drm update rules:
		accessDays addRecipients downloadable dynamic extendByDays geoAllow geoBlock ipAllow ipBlock opens recipients
		removeRecipients removeRules timeEnd timeStart
	drm update removeRules: geo ip opens timeEnd timeStart
	drm update options: allowWildcards allowedRecipients evenIfOver
	request create requestEnds: afterDays never onDate
	request create options: allowWildcards allowedRecipients deliveries maxFiles maxMegabytes userId
	request getAll options: nameContains userId
	contact upsert dataToSend: autoMapInputData defineBelow json
	contact upsert fieldsUi: fields
	contact upsert options: skipUnchanged userId
	contact sync dataToSend: autoMapInputData defineBelow json
	contact sync options: maxDeletions query userId
`);

it.each(choices)('%s can be these', (path, names) => {
	const [resource, operation, name] = path.split(' ');
	const { description } = nodeType;
	const fields = description.properties.filter(({ displayOptions: { show } = {} }) =>
		[show?.resource, show?.operation].every((shown, place) =>
			shown?.includes([resource, operation][place]),
		),
	);
	expect(listChoices(fields, name)).toEqual(names.split(' '));
});

it('the trigger has these events, fields and options', () => {
	const { properties } = triggerType.description;

	expect(properties.map(({ name }) => name)).toEqual(
		expect.arrayContaining(['event', 'withinDays', 'nameContains', 'options']),
	);
	expect(listChoices(properties, 'event').join(' ')).toBe(
		'accessEnding accessRefused accessRequested codeRefused contactChanged contactCreated contactDeleted containerCreated containerDeleted containerOpened drmChanged filesReceived',
	);
	expect(listChoices(properties, 'options').join(' ')).toBe(
		'fieldsToIgnore includeExisting includePreviousRules query userId',
	);
});

it('the instant trigger has these actions, fields and options', () => {
	const { properties } = instantType.description;

	expect(NodeHelpers.getNodeParameters(properties, {}, true, false, null, null)).toEqual({
		...{ actions: ['opened'], nameContains: '', options: {} },
	});
	expect(listChoices(properties, 'actions').join(' ')).toBe(
		'accessRequested codeRefused created decoded deleted downloaded filesReceived opened refused rulesChanged viewed',
	);
	expect(listChoices(properties, 'options')).toEqual(['userId']);
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
	const hidden = { typeOptions: { password: true } };
	expect(find('password')).toMatchObject([hidden, hidden]);
	const [apiKey] = credentialFields.filter(({ name }) => name === 'apiKey');
	expect(apiKey).toMatchObject({ default: '', ...hidden });
});

it('the credential has no default host, checks certificates, and has no guardrail unless it is set', () => {
	const values = NodeHelpers.getNodeParameters(credentialFields, {}, true, false, null, null);

	expect(values).toMatchObject({
		...{ baseUrl: '', apiKey: '', allowUnauthorizedCerts: false, containerUrl: '' },
		...{ allowedRecipients: '', maxAccessDays: '', forbidDownload: false, forbidDecode: false },
	});
});

it('the node can be the tool of an agent, and needs the credential', () => {
	expect(nodeType.description).toMatchObject({
		...{ name: 'encryptedContainers', usableAsTool: true, inputs: ['main'], outputs: ['main'] },
		credentials: [{ name: 'encryptedContainersApi', required: true }],
	});
});
