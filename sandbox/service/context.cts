import type { Answer } from './answer.cts';
import type { Store } from './store.cts';
import type { ReadPart } from '../http/multipart.cts';
import type { EndpointName, SandboxSettings } from '../settings.cts';
import type { SandboxUser } from '../users.cts';

/** What an operation is given: an authenticated request whose body was read. */
export interface Context {
	settings: SandboxSettings;
	store: Store;
	users: SandboxUser[];
	user: SandboxUser;
	/** Path parameters, decoded once. */
	params: Record<string, string>;
	/** The path and query as sent. */
	path: string;
	/** Of the service, as its clients reach it. */
	origin: string;
	/** The JSON body, where the end point takes one. */
	body?: unknown;
	/** The multipart body, where the end point takes one. */
	parts?: ReadPart[];
}

/** One end point of service-api.md. */
export interface Endpoint {
	name: EndpointName;
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	/** Below the base URL. */
	path: string;
	reads: 'nothing' | 'json' | 'upload';
	operation: (context: Context) => Answer;
}
