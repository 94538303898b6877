import type { ServiceResponse } from './response.cts';
import type { Store } from './store.cts';
import type { ParsedPart } from '../http/multipart.cts';
import type { SandboxSettings } from '../settings.cts';
import type { SandboxUser } from '../users.cts';

/** What an operation is given: an authenticated request that fits the contract. */
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
	/** The JSON body, where the operation has one. */
	body?: unknown;
	/** The parts of a form, where the operation has one. */
	parts?: ParsedPart[];
}

/** @throws ServiceError when the service refuses the request */
export type Operation = (context: Context) => ServiceResponse;
