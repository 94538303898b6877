import { createRequire } from 'node:module';
import type * as AjvModule from '@fastify/ajv-compiler';
import type { ErrorObject } from '@fastify/ajv-compiler';
import type { OperationId, Schema } from './contract.cts';
import { describeErrors } from './problems.cts';

const LIST_SHAPES = ['array', 'containers', 'contacts', 'data', 'items', 'results'] as const;
const CHANGE_RESPONSES = ['record', 'empty', 'noContent', 'message', 'text'] as const;
const ERROR_SHAPES = ['json', 'nested', 'list', 'text', 'empty', 'html'] as const;
const NEXT_LINKS = ['absolute', 'relative', 'repeat', 'otherOrigin'] as const;

/** The key of an object that holds the list; `array` is the list itself. */
export type ListShape = (typeof LIST_SHAPES)[number];

/** The response to PATCH and DELETE: the record, an empty 200, a 204, `{ "message" }` or plain text. */
export type ChangeResponse = (typeof CHANGE_RESPONSES)[number];

/** The body of an error: `{ message, code }`, `{ error: { … } }`, `{ errors: [ … ] }`, text, nothing, HTML. */
export type ErrorShape = (typeof ERROR_SHAPES)[number];

/** How a page of a list links to the next one. A client must not follow `repeat` and `otherOrigin`. */
export type NextLink = (typeof NEXT_LINKS)[number];

export interface RateLimit {
	/** Requests that each key can send in one window. */
	perMinute: number;
	/** `window`: all requests are available again when the window ends. `bucket`: one after the other. */
	algorithm?: 'window' | 'bucket';
	/** Whether a 429 tells when to retry; in seconds by default. */
	retryAfter?: 'seconds' | 'none';
	/** Length of the window; a minute by default. */
	windowMs?: number;
}

/** A choice for each open point of the contract, and what the sandbox does besides serving. */
export interface SandboxSettings {
	manifestPart: string;
	filePart: string;
	requiredManifestFields: string[];
	otherUsers: 'forbidden' | 'notFound';

	containerList: ListShape;
	contactList: ListShape;
	listEntries: 'envelope' | 'record';
	listOrder: 'created' | 'reversed' | 'shuffled';
	filterByQuery: boolean;
	pageSize: number;
	nextLink: NextLink;
	otherOrigin: string;

	getContainerResponse: 'envelope' | 'record';
	containerFields: Record<string, unknown>;
	dates: 'none' | 'milliseconds' | 'seconds';

	drmShape: string;
	drmFields: Record<string, unknown>;
	drmTimes: 'date' | 'timestamp';
	patchDrmKeys: 'merge' | 'replace';
	patchDrmResponse: ChangeResponse;

	contactFields: string[] | null;
	patchContactKeys: 'merge' | 'replace';
	patchContactResponse: ChangeResponse;
	deleteResponse: ChangeResponse;

	statuses: Partial<Record<OperationId | 'createContact', number>>;
	errorShape: ErrorShape;

	/** Milliseconds before a response; in a test also a function. */
	latency: number | (() => number);
	rateLimit: RateLimit | null;
	maxBodyBytes: number | null;

	record: 'full' | 'counts';
	hashFiles: boolean;
}

const oneOf = (...values: readonly string[]): Schema => ({ enum: values });
const text: Schema = { type: 'string' };
const texts: Schema = { type: 'array', items: text };
const flag: Schema = { type: 'boolean' };
const object: Schema = { type: 'object' };
const count: Schema = { type: 'number', minimum: 0 };
const changeResponse = oneOf(...CHANGE_RESPONSES);

/** The default of each setting, the form that the contract shows, and the values that it can have. */
const SETTINGS: { [Name in keyof SandboxSettings]: [SandboxSettings[Name], Schema] } = {
	manifestPart: ['manifest.json', text],
	filePart: ['file', text],
	requiredManifestFields: [['name'], texts],
	otherUsers: ['forbidden', oneOf('forbidden', 'notFound')],

	containerList: ['array', oneOf(...LIST_SHAPES)],
	contactList: ['array', oneOf(...LIST_SHAPES)],
	listEntries: ['envelope', oneOf('envelope', 'record')],
	listOrder: ['created', oneOf('created', 'reversed', 'shuffled')],
	filterByQuery: [false, flag],
	pageSize: [0, count],
	nextLink: ['absolute', oneOf(...NEXT_LINKS)],
	otherOrigin: ['https://other.example.com', text],

	getContainerResponse: ['envelope', oneOf('envelope', 'record')],
	containerFields: [{}, object],
	dates: ['milliseconds', oneOf('none', 'milliseconds', 'seconds')],

	drmShape: ['bare', text],
	drmFields: [{}, object],
	drmTimes: ['date', oneOf('date', 'timestamp')],
	patchDrmKeys: ['merge', oneOf('merge', 'replace')],
	patchDrmResponse: ['record', changeResponse],

	contactFields: [null, { ...texts, type: ['array', 'null'] }],
	patchContactKeys: ['merge', oneOf('merge', 'replace')],
	patchContactResponse: ['record', changeResponse],
	deleteResponse: ['noContent', changeResponse],

	statuses: [
		{},
		{ ...object, additionalProperties: { type: 'integer', minimum: 200, maximum: 599 } },
	],
	errorShape: ['json', oneOf(...ERROR_SHAPES)],

	latency: [0, count],
	rateLimit: [
		null,
		{
			type: ['object', 'null'],
			additionalProperties: false,
			required: ['perMinute'],
			properties: {
				perMinute: count,
				algorithm: oneOf('window', 'bucket'),
				retryAfter: oneOf('seconds', 'none'),
				windowMs: count,
			},
		},
	],
	maxBodyBytes: [null, { ...count, type: ['number', 'null'] }],

	record: ['full', oneOf('full', 'counts')],
	hashFiles: [true, flag],
};

const entries = Object.entries(SETTINGS);
const schema: Schema = {
	type: 'object',
	properties: Object.fromEntries(entries.map(([name, [, values]]) => [name, values])),
};

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
	const unknown = Object.keys(changes ?? {}).filter((name) => !Object.hasOwn(settings, name));
	if (unknown.length > 0) {
		const known = Object.keys(settings).join(', ');
		throw new Error(`No such setting: ${unknown.join(', ')}. The settings are ${known}`);
	}
	const { latency } = changes ?? {};
	assertSchema(
		schema,
		typeof latency === 'function' ? { ...changes, latency: 0 } : changes,
		'settings',
	);
	Object.assign(settings, changes);
}

// Ajv requires JSON files. On Node 20, that fails below a module that tsx compiles, but not below a plain require.
const { AjvCompiler } = createRequire(__filename)('@fastify/ajv-compiler') as typeof AjvModule;
const compile = AjvCompiler()(
	{},
	{
		customOptions: {
			allErrors: true,
			coerceTypes: false,
			removeAdditional: false,
			strict: false,
			useDefaults: false,
		},
	},
);

/** @throws Error with all that a schema refuses in a value */
export function assertSchema(wanted: Schema, value: unknown, name: string): void {
	const validate = compile({ schema: wanted } as never);
	if (validate(value ?? null)) return;
	const problems = describeErrors(validate.errors as ErrorObject[], { '': name });
	throw new Error(`Invalid ${name}: ${problems.join('; ')}.`);
}
