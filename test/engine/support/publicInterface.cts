import { rowsOf } from '../../support/texts.cts';

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

/** Fields by name with their default: the first of several values is that of a choice, null is any. */
type Presets = Record<string, unknown>;

const limits = { maxConcurrent: 5, maxRetries: 5, responseTimeout: 60 };
const user = { userId: '' };
const recipientLimits = { allowedRecipients: '', allowWildcards: false };
const accessRules = {
	geoAllow: [],
	geoBlock: [],
	ipAllow: '',
	ipBlock: '',
	opens: null,
	timeStart: '',
};

/** The fields of each operation. */
const fields = rowsOf<Presets>(`
	container encode: {
		fileSource: [named, all, text], binaryPropertyName: data, textContent: "", textFileName: , name: "", recipients: "",
		accessEnds: [afterDays, onDate, never], timeEnd: "", accessDays: , dynamic: true, downloadable: false, drmRules: {},
		containerMode: [perItem, allItems], specifyManifest: [fields, json], manifestJson: }
	container get: { containerId: }
	container delete: { containerId: }
	container getEnvelope: { containerId: }
	container getActivity: { containers: [all, one], containerId: , actions: null, returnAll: false, limit: 50 }
	container getAll: { returnAll: false, limit: 50 }
	drm get: { containerId: }
	drm revoke: { containerId: }
	drm update: { containerId: , specifyRules: [fields, json], rules: {}, rulesJson: null }
	drm removeEverywhere: { email: "", ifNobodyIsLeft: [revoke, skip], ifWildcardCovers: [report, removeWildcard], dryRun: false }
	drm syncRecipients: { containers: [one, byName], containerId: , nameContains: "", email: "={{ $json.email }}", keepAddresses: "", dryRun: false }
	drm check: { containers: [all, one, byName], containerId: , nameContains: "", policy: [fields, credential], policyFields: { requireEnd: true }, onViolation: [report, fix, revoke], dryRun: false }
	contact get: { contactEmail: }
	contact delete: { contactEmail: }
	contact getAll: { returnAll: false, limit: 50 }
	contact upsert: { email: "", dataToSend: [defineBelow, autoMapInputData, json], inputsToIgnore: "", fieldsUi: {}, bodyJson: null }
	contact sync: { email: "={{ $json.email }}", dataToSend: [autoMapInputData, defineBelow, json], inputsToIgnore: "", fieldsUi: {}, bodyJson: null, deleteMissing: false, dryRun: false }
	user getMe: {}
`);

/** The fields in the collections of operations; each has the limits of requests in its options. */
const inside: Record<string, Record<string, Presets>> = {
	'container encode': {
		drmRules: { ...accessRules, password: '' },
		options: {
			...{ ...user, ...recipientLimits, ifExists: ['create', 'reuse', 'fail'] },
			...{ includeFileDigests: false, allowNoRecipients: false },
			...{ partNames: ['current', 'older'], responseTimeout: 300 },
		},
	},
	'container getEnvelope': { options: user },
	'container getAll': {
		options: {
			...{ ...user, query: {}, includeRules: false },
			...{ nameContains: '', createdBefore: '', createdAfter: '' },
		},
	},
	'drm update': {
		rules: {
			...{ ...accessRules, dynamic: true, timeEnd: '', accessDays: 30, extendByDays: 7 },
			...{ downloadable: null, recipients: '', addRecipients: '', removeRecipients: '' },
			removeRules: [],
		},
		options: { ...recipientLimits },
	},
	'drm removeEverywhere': { options: { ...user, nameContains: '', query: {} } },
	'drm syncRecipients': { options: { ...recipientLimits, ...user, query: {}, maxRemovals: 20 } },
	'drm check': {
		policyFields: {
			allowedRecipients: '',
			maxAccessDays: 90,
			forbidDownload: true,
			requireEnd: true,
		},
		options: { ...user, query: {} },
	},
	'contact get': { options: user },
	'contact delete': { options: user },
	'contact getAll': { options: { ...user, query: {} } },
	'contact upsert': { options: { ...user, skipUnchanged: false } },
	'contact sync': { options: { ...user, maxDeletions: 20, query: {} } },
	'container getActivity': { options: { ...user, after: '' } },
};

const toFields = (presets: Presets): Field[] =>
	Object.entries(presets).map(([name, preset]) => {
		if (name === 'containerId' || name === 'contactEmail') return [name, list];
		if (Array.isArray(preset) && preset.length > 0) return [name, preset[0], preset as string[]];
		return [name, preset ?? expect.anything()];
	});

/** The public interface of the node: saved workflows contain these names and defaults. */
export const tables = fields.map(([name, presets]): OperationTable => {
	const [resource, operation] = name.split(' ');
	const { options = {}, ...collections } = inside[name] ?? {};
	const all = Object.entries({ ...collections, options: { ...limits, ...options } });
	return {
		...{ resource, operation, fields: toFields({ ...presets, options: {} }) },
		inside: Object.fromEntries(all.map(([key, own]) => [key, toFields(own)])),
	};
});
