/** Name, default and, for options, the values that a saved workflow can contain. */
export type Field = [name: string, preset: unknown, values?: string[]];

export interface OperationTable {
	resource: string;
	operation: string;
	fields: Field[];
	/** Fields of each collection, by its name. */
	inside: Record<string, Field[]>;
}

export const list = { mode: 'list', value: '' };
const any = expect.anything();
const containerId: Field = ['containerId', list];
const requests: Field[] = [
	['maxConcurrent', 5],
	['maxRetries', 5],
];
const limits: Field[] = [...requests, ['responseTimeout', 60]];
const recipientLimits: Field[] = [
	['allowedRecipients', ''],
	['allowWildcards', false],
];
const selection = (preset: string, choices: string[]): Field[] => [
	['containers', preset, choices],
	containerId,
	['nameContains', ''],
];
const user: Field = ['userId', ''];
const contactEmail: Field = ['contactEmail', list];
const paging: Field[] = [
	['returnAll', false],
	['limit', 50],
];
const accessRules: Field[] = [
	['geoAllow', []],
	['geoBlock', []],
	['ipAllow', ''],
	['ipBlock', ''],
	['opens', any],
	['timeStart', ''],
];

/** The public interface of the node: saved workflows contain these names and defaults. */
export const tables: OperationTable[] = [
	{
		resource: 'container',
		operation: 'encode',
		fields: [
			['fileSource', 'named', ['named', 'all', 'text']],
			['binaryPropertyName', 'data'],
			['textContent', ''],
			['textFileName', any],
			['name', ''],
			['recipients', ''],
			['accessEnds', 'never', ['never', 'onDate', 'afterDays']],
			['timeEnd', ''],
			['accessDays', any],
			['dynamic', true],
			['downloadable', false],
			['drmRules', {}],
			['containerMode', 'perItem', ['perItem', 'allItems']],
			['specifyManifest', 'fields', ['fields', 'json']],
			['manifestJson', any],
			['options', {}],
		],
		inside: {
			drmRules: [...accessRules, ['password', '']],
			options: [
				user,
				['ifExists', 'create', ['create', 'reuse', 'fail']],
				['includeFileDigests', false],
				['allowNoRecipients', false],
				...recipientLimits,
				['manifestPartName', 'manifest.json'],
				['filePartName', 'file'],
				...requests,
				['responseTimeout', 300],
			],
		},
	},
	...['get', 'delete'].map((operation) => ({
		resource: 'container',
		operation,
		fields: [containerId, ['options', {}]] as Field[],
		inside: { options: limits },
	})),
	{
		resource: 'container',
		operation: 'getEnvelope',
		fields: [containerId, ['options', {}]],
		inside: { options: [user, ...limits] },
	},
	...['container', 'contact'].map((resource) => ({
		resource,
		operation: 'getAll',
		fields: [...paging, ['options', {}]] as Field[],
		inside: {
			options: [
				user,
				['query', {}],
				...(resource === 'container'
					? [
							['includeRules', false],
							['nameContains', ''],
							['createdBefore', ''],
							['createdAfter', ''],
						]
					: []),
				...limits,
			] as Field[],
		},
	})),
	...['get', 'revoke'].map((operation) => ({
		resource: 'drm',
		operation,
		fields: [containerId, ['options', {}]] as Field[],
		inside: { options: limits },
	})),
	{
		resource: 'drm',
		operation: 'update',
		fields: [
			containerId,
			['specifyRules', 'fields', ['fields', 'json']],
			['rules', {}],
			['rulesJson', any],
			['options', {}],
		],
		inside: {
			rules: [
				...accessRules,
				['dynamic', true],
				['timeEnd', ''],
				['accessDays', 30],
				['extendByDays', 7],
				['downloadable', any],
				['recipients', ''],
				['addRecipients', ''],
				['removeRecipients', ''],
			],
			options: [...recipientLimits, ['keepOtherRules', true], ...limits],
		},
	},
	{
		resource: 'drm',
		operation: 'removeEverywhere',
		fields: [
			['email', ''],
			['ifNobodyIsLeft', 'revoke', ['revoke', 'skip']],
			['ifWildcardCovers', 'report', ['report', 'removeWildcard']],
			['options', {}],
		],
		inside: { options: [user, ['nameContains', ''], ['dryRun', false], ...limits] },
	},
	{
		resource: 'drm',
		operation: 'syncRecipients',
		fields: [
			...selection('one', ['one', 'byName']),
			['email', ''],
			['keepAddresses', ''],
			['options', {}],
		],
		inside: {
			options: [...recipientLimits, user, ['maxRemovals', 10], ['dryRun', false], ...limits],
		},
	},
	{
		resource: 'drm',
		operation: 'check',
		fields: [
			...selection('all', ['all', 'one', 'byName']),
			['policy', 'credential', ['credential', 'fields']],
			['policyFields', {}],
			['onViolation', 'report', ['report', 'fix', 'revoke']],
			['options', {}],
		],
		inside: {
			policyFields: [
				['allowedRecipients', ''],
				['maxAccessDays', 90],
				['forbidDownload', true],
				['requireEnd', true],
			],
			options: [user, ['dryRun', false], ...limits],
		},
	},
	...['get', 'delete'].map((operation) => ({
		resource: 'contact',
		operation,
		fields: [contactEmail, ['options', {}]] as Field[],
		inside: { options: [user, ...limits] },
	})),
	{
		resource: 'contact',
		operation: 'upsert',
		fields: [
			['email', ''],
			['dataToSend', 'defineBelow', ['autoMapInputData', 'defineBelow', 'json']],
			['inputsToIgnore', ''],
			['fieldsUi', {}],
			['bodyJson', any],
			['options', {}],
		],
		inside: { options: [user, ['skipUnchanged', false], ...limits] },
	},
	{
		resource: 'contact',
		operation: 'sync',
		fields: [
			['email', ''],
			['dataToSend', 'autoMapInputData', ['autoMapInputData', 'defineBelow', 'json']],
			['inputsToIgnore', ''],
			['fieldsUi', {}],
			['bodyJson', any],
			['deleteMissing', false],
			['options', {}],
		],
		inside: { options: [user, ['maxDeletions', 10], ['dryRun', false], ...limits] },
	},
	{
		resource: 'user',
		operation: 'getMe',
		fields: [['options', {}]],
		inside: { options: limits },
	},
];
