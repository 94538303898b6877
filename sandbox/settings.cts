import { createCheck } from './contract/check.cts';
import type { OperationId, Schema } from './contract/document.cts';

const LIST_SHAPES = ['array', 'containers', 'contacts', 'data', 'items', 'results'] as const;
const CHANGE_RESPONSES = ['record', 'empty', 'noContent', 'message', 'text'] as const;
const ERROR_SHAPES = ['json', 'nested', 'list', 'text', 'empty', 'html'] as const;
const NEXT_LINKS = ['absolute', 'relative', 'amongOthers', 'repeat', 'otherOrigin'] as const;

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
	/** How a 429 tells when to retry. */
	retryAfter?: 'seconds' | 'date' | 'none';
	/** Length of the window; a minute by default. */
	windowMs?: number;
}

/** What a latency function knows about the request that it delays. */
interface DelayedRequest {
	method: string;
	path: string;
	operationId?: OperationId;
}

/** A choice for each open point of the contract, and what the sandbox does besides serving. */
export interface SandboxSettings {
	manifestPart: string;
	filePart: string;
	requiredManifestFields: string[];
	unknownManifestFields: 'refuse' | 'accept';
	defaultDynamic: boolean;
	otherUsers: 'forbidden' | 'notFound';

	containerList: ListShape;
	contactList: ListShape;
	listEntries: 'envelope' | 'record';
	listOrder: 'created' | 'reversed' | 'shuffled';
	shuffleSeed: number;
	filterByQuery: boolean;
	pageSize: number;
	nextLink: NextLink;
	otherOrigin: string;

	getContainerResponse: 'envelope' | 'record';
	containerFields: Record<string, unknown>;
	dates: 'none' | 'milliseconds' | 'seconds' | 'minutes';

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

	latency: number | ((request: DelayedRequest) => number);
	rateLimit: RateLimit | null;
	maxBodyBytes: number | null;
	portal: boolean;

	record: 'full' | 'counts';
	hashFiles: boolean;
	keepFiles: boolean;
}

/** @returns the settings of a new sandbox: the forms that the contract shows */
export function defaultSettings(): SandboxSettings {
	return {
		manifestPart: 'manifest.json',
		filePart: 'file',
		requiredManifestFields: ['name'],
		unknownManifestFields: 'refuse',
		defaultDynamic: false,
		otherUsers: 'forbidden',

		containerList: 'array',
		contactList: 'array',
		listEntries: 'envelope',
		listOrder: 'created',
		shuffleSeed: 1,
		filterByQuery: false,
		pageSize: 0,
		nextLink: 'absolute',
		otherOrigin: 'https://other.example.com',

		getContainerResponse: 'envelope',
		containerFields: {},
		dates: 'milliseconds',

		drmShape: 'bare',
		drmFields: {},
		drmTimes: 'date',
		patchDrmKeys: 'merge',
		patchDrmResponse: 'record',

		contactFields: null,
		patchContactKeys: 'merge',
		patchContactResponse: 'record',
		deleteResponse: 'noContent',

		statuses: {},
		errorShape: 'json',

		latency: 0,
		rateLimit: null,
		maxBodyBytes: null,
		portal: true,

		record: 'full',
		hashFiles: true,
		keepFiles: false,
	};
}

const oneOf = (...values: readonly string[]): Schema => ({ enum: values });
const texts: Schema = { type: 'array', items: { type: 'string' } };
const count: Schema = { type: 'number', minimum: 0 };

/** What the type of the default doesn't say. */
const SCHEMAS: Partial<Record<keyof SandboxSettings, Schema>> = {
	requiredManifestFields: texts,
	unknownManifestFields: oneOf('refuse', 'accept'),
	otherUsers: oneOf('forbidden', 'notFound'),
	containerList: oneOf(...LIST_SHAPES),
	contactList: oneOf(...LIST_SHAPES),
	listEntries: oneOf('envelope', 'record'),
	listOrder: oneOf('created', 'reversed', 'shuffled'),
	nextLink: oneOf(...NEXT_LINKS),
	getContainerResponse: oneOf('envelope', 'record'),
	dates: oneOf('none', 'milliseconds', 'seconds', 'minutes'),
	drmTimes: oneOf('date', 'timestamp'),
	patchDrmKeys: oneOf('merge', 'replace'),
	patchDrmResponse: oneOf(...CHANGE_RESPONSES),
	contactFields: { ...texts, type: ['array', 'null'] },
	patchContactKeys: oneOf('merge', 'replace'),
	patchContactResponse: oneOf(...CHANGE_RESPONSES),
	deleteResponse: oneOf(...CHANGE_RESPONSES),
	statuses: {
		type: 'object',
		additionalProperties: { type: 'integer', minimum: 200, maximum: 599 },
	},
	errorShape: oneOf(...ERROR_SHAPES),
	rateLimit: {
		type: ['object', 'null'],
		additionalProperties: false,
		required: ['perMinute'],
		properties: {
			perMinute: count,
			algorithm: oneOf('window', 'bucket'),
			retryAfter: oneOf('seconds', 'date', 'none'),
			windowMs: count,
		},
	},
	maxBodyBytes: { ...count, type: ['number', 'null'] },
	record: oneOf('full', 'counts'),
};

const SETTINGS: Schema = {
	type: 'object',
	properties: Object.fromEntries(
		Object.entries(defaultSettings()).map(([name, value]) => [
			name,
			SCHEMAS[name as keyof SandboxSettings] ??
				(typeof value === 'number' ? count : { type: typeof value }),
		]),
	),
};

const check = createCheck();

/**
 * Replaces the values of some settings.
 *
 * @throws Error for an unknown name or a value that its setting can't have
 */
export function applySettings(settings: SandboxSettings, changes: Partial<SandboxSettings>): void {
	const unknown = Object.keys(changes ?? {}).filter((name) => !Object.hasOwn(settings, name));
	if (unknown.length > 0) {
		throw new Error(
			`No such setting: ${unknown.join(', ')}. The settings are ${Object.keys(settings).join(', ')}`,
		);
	}
	const { latency } = changes ?? {};
	const values = typeof latency === 'function' ? { ...changes, latency: 0 } : changes;
	const problems = check(SETTINGS, values, 'settings');
	if (problems.length > 0) throw new Error(`Invalid settings: ${problems.join('; ')}.`);
	Object.assign(settings, changes);
}
