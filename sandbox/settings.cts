/** The name that an object gives to the list it holds; `array` is the bare list. */
export type ListShape = 'array' | 'containers' | 'contacts' | 'data' | 'items' | 'results';

/** What PATCH and DELETE answer: the record, an empty 200, a 204, `{ "message" }` or plain text. */
export type ChangeAnswer = 'record' | 'empty' | 'noContent' | 'message' | 'text';

/** How an error is told: `{ message, code }`, `{ error: { … } }`, `{ errors: [ … ] }`, text, nothing, a web page. */
export type ErrorShape = 'json' | 'nested' | 'list' | 'text' | 'empty' | 'html';

/** How a page of a list points to the next one. `repeat` and `otherOrigin` are what a client must not follow. */
export type NextLink = 'absolute' | 'relative' | 'amongOthers' | 'repeat' | 'otherOrigin';

/** The twelve end points, as they are called in settings, records and counts. */
export const ENDPOINT_NAMES = [
	'getMe',
	'encode',
	'listContainers',
	'getEnvelope',
	'getContainer',
	'deleteContainer',
	'getDrm',
	'patchDrm',
	'listContacts',
	'getContact',
	'patchContact',
	'deleteContact',
] as const;

export type EndpointName = (typeof ENDPOINT_NAMES)[number];

export interface RateLimit {
	/** Requests of one key that are served in one window. */
	perMinute: number;
	/** `window`: all come back when the window ends. `bucket`: they come back one by one. */
	algorithm?: 'window' | 'bucket';
	/** How the answer 429 says when to come back. */
	retryAfter?: 'seconds' | 'date' | 'none';
	/** Length of the window; a minute unless a test wants it shorter. */
	windowMs?: number;
}

/** What a latency function is told about the request it delays. */
export interface DelayedRequest {
	method: string;
	path: string;
	endpoint?: EndpointName;
}

/** Every choice that service-api.md leaves open, and what the sandbox does besides serving. */
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

	getContainerAnswer: 'envelope' | 'record';
	containerFields: Record<string, unknown>;
	dates: 'none' | 'milliseconds' | 'seconds' | 'minutes';

	drmShape: string;
	drmFields: Record<string, unknown>;
	drmTimes: 'date' | 'timestamp';
	patchDrmKeys: 'merge' | 'replace';
	patchDrmAnswer: ChangeAnswer;

	contactFields: string[] | null;
	patchContactKeys: 'merge' | 'replace';
	patchContactAnswer: ChangeAnswer;
	deleteAnswer: ChangeAnswer;

	statuses: Partial<Record<EndpointName | 'createContact', number>>;
	errorShape: ErrorShape;

	latency: number | ((request: DelayedRequest) => number);
	rateLimit: RateLimit | null;
	maxBodyBytes: number | null;
	portal: boolean;

	record: 'full' | 'counts';
	hashFiles: boolean;
	keepFiles: boolean;
}

/** @returns the settings of a new sandbox: the forms that service-api.md shows or field-facts.md expects */
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

		getContainerAnswer: 'envelope',
		containerFields: {},
		dates: 'milliseconds',

		drmShape: 'bare',
		drmFields: {},
		drmTimes: 'date',
		patchDrmKeys: 'merge',
		patchDrmAnswer: 'record',

		contactFields: null,
		patchContactKeys: 'merge',
		patchContactAnswer: 'record',
		deleteAnswer: 'noContent',

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
 * Sets some settings of a sandbox, each whole.
 *
 * @throws Error on a name that is no setting, so that a misspelt switch is not taken for a set one
 */
export function applySettings(settings: SandboxSettings, changes: Partial<SandboxSettings>): void {
	const unknown = Object.keys(changes).filter((name) => !Object.hasOwn(settings, name));
	if (unknown.length > 0) {
		throw new Error(
			`No such setting: ${unknown.join(', ')}. There are ${Object.keys(settings).join(', ')}`,
		);
	}
	Object.assign(settings, changes);
}
