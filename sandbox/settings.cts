import type { OperationId } from './contract/document.cts';

/** The key of an object that holds the list; `array` is the list itself. */
export type ListShape = 'array' | 'containers' | 'contacts' | 'data' | 'items' | 'results';

/** The response to PATCH and DELETE: the record, an empty 200, a 204, `{ "message" }` or plain text. */
export type ChangeResponse = 'record' | 'empty' | 'noContent' | 'message' | 'text';

/** The body of an error: `{ message, code }`, `{ error: { … } }`, `{ errors: [ … ] }`, text, nothing, HTML. */
export type ErrorShape = 'json' | 'nested' | 'list' | 'text' | 'empty' | 'html';

/** How a page of a list links to the next one. A client must not follow `repeat` and `otherOrigin`. */
export type NextLink = 'absolute' | 'relative' | 'amongOthers' | 'repeat' | 'otherOrigin';

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

/**
 * Replaces the values of some settings.
 *
 * @throws Error for an unknown name
 */
export function applySettings(settings: SandboxSettings, changes: Partial<SandboxSettings>): void {
	const unknown = Object.keys(changes).filter((name) => !Object.hasOwn(settings, name));
	if (unknown.length > 0) {
		throw new Error(
			`No such setting: ${unknown.join(', ')}. The settings are ${Object.keys(settings).join(', ')}`,
		);
	}
	Object.assign(settings, changes);
}
