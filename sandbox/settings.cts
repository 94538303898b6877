import { assertSchema, type Schema } from './schemas.cts';

/** The default of a setting, the form that the contract shows, and the values that it can have. */
type Setting<T> = [preset: T, schema: Schema];

const choice = <const T extends string>(...values: T[]): Setting<T> => [
	values[0],
	{ enum: values },
];
const text = (preset: string): Setting<string> => [preset, { type: 'string' }];
const flag = (preset: boolean): Setting<boolean> => [preset, { type: 'boolean' }];
const fields: Setting<Record<string, unknown>> = [{}, { type: 'object' }];
const texts: Schema = { type: 'array', items: { type: 'string' } };
const count: Schema = { type: 'number', minimum: 0 };

/** The key of an object that holds the list; `array` is the list itself. */
const list = choice('array', 'containers', 'contacts', 'data', 'items', 'results');
/** The response to PATCH and DELETE: the record, an empty 200, a 204, `{ "message" }` or plain text. */
const change = choice('record', 'empty', 'noContent', 'message', 'text');

/** A choice for each open point of the contract, and what the sandbox does besides serving. */
const SETTINGS = {
	requiredManifestFields: [['name'], texts] as Setting<string[]>,
	otherUsers: choice('forbidden', 'notFound'),

	containerList: list,
	contactList: list,
	listEntries: choice('envelope', 'record'),
	listOrder: choice('created', 'reversed', 'shuffled'),
	filterByQuery: flag(false),
	pageSize: [0, count] as Setting<number>,
	/** How a page of a list links to the next one. */
	nextLink: choice('absolute', 'relative'),

	getContainerResponse: choice('envelope', 'record'),
	containerFields: fields,
	dates: choice('milliseconds', 'seconds', 'none'),

	drmShape: text('bare'),
	drmFields: fields,
	drmTimes: choice('date', 'timestamp'),
	patchDrmKeys: choice('merge', 'replace'),
	patchDrmResponse: change,

	patchContactKeys: choice('merge', 'replace'),
	patchContactResponse: change,
	deleteResponse: ['noContent', change[1]] as typeof change,

	/** By operation, or `createContact`. */
	statuses: [
		{},
		{ type: 'object', additionalProperties: { type: 'integer', minimum: 200, maximum: 599 } },
	] as Setting<Record<string, number>>,
	/** The body of an error: `{ message, code }`, `{ error: { … } }`, `{ errors: [ … ] }`, text, nothing, HTML. */
	errorShape: choice('json', 'nested', 'list', 'text', 'empty', 'html'),

	/** Milliseconds before a response; in a test also a function. */
	latency: [0, count] as Setting<number | (() => number)>,
	/** Of each key; 0 is no limit. */
	requestsPerMinute: [0, count] as Setting<number>,
	maxBodyBytes: [null, { ...count, type: ['number', 'null'] }] as Setting<number | null>,

	record: choice('full', 'counts'),
	hashFiles: flag(true),
};

export type SandboxSettings = {
	[Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name][0];
};

const entries = Object.entries(SETTINGS);
const properties = Object.fromEntries(entries.map(([name, [, values]]) => [name, values]));

/** @returns the settings of a new sandbox */
export function defaultSettings(): SandboxSettings {
	const defaults = Object.fromEntries(entries.map(([name, [value]]) => [name, value]));
	return structuredClone(defaults) as unknown as SandboxSettings;
}

/**
 * Replaces the values of some settings.
 *
 * @throws Error for an unknown name or a value that its setting can't have
 */
export function applySettings(settings: SandboxSettings, changes: Partial<SandboxSettings>): void {
	const isFunction = typeof changes?.latency === 'function';
	const values = isFunction ? { ...changes, latency: 0 } : changes;
	const schema = { type: 'object', properties, additionalProperties: false };
	assertSchema(schema, values, 'settings');
	Object.assign(settings, changes);
}
