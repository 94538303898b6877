import { Agent, request } from 'undici';
import type { FaultMessage } from './faults.cts';
import type { Counts, Fault, NewContact, NewContainer, ReceivedRequest } from './index.cts';
import type { SandboxSettings, SandboxUser, StoredContact, StoredContainer } from './index.cts';
import type { Store } from './store.cts';

/** A planned fault in the sandbox's process. */
interface FaultReport {
	kind: Fault['kind'];
	stage: string;
	/** Matching requests so far, and those that it was applied to. */
	matched: number;
	applied: number;
}

/** A sandbox in another process, with the names of Sandbox. Each call is a request to its control interface. */
export interface SandboxClient {
	url: string;
	origin: string;
	user: SandboxUser;
	apiKey: string;
	users: SandboxUser[];
	requests(): Promise<ReceivedRequest[]>;
	counts(): Promise<Counts>;
	state(): Promise<ReturnType<Store['snapshot']>>;
	settings(changes?: Partial<SandboxSettings>): Promise<SandboxSettings>;
	faults: {
		add(fault: Fault): Promise<FaultReport>;
		list(): Promise<FaultReport[]>;
		clear(): Promise<void>;
	};
	addContainers(containers: Array<Partial<NewContainer>>): Promise<StoredContainer[]>;
	addContacts(contacts: Array<Partial<NewContact> & { email: string }>): Promise<StoredContact[]>;
	clearRequests(): Promise<void>;
	reset(): Promise<void>;
	/** Closes the connection; the sandbox keeps running. */
	close(): Promise<void>;
}

interface Info {
	url: string;
	origin: string;
	apiKey: string;
	users: SandboxUser[];
}

/**
 * Connects to a running sandbox.
 *
 * @param target its origin (https://localhost:PORT) and its certificate authority as PEM
 * @throws Error when the sandbox can't be reached or refuses a call
 */
export async function connectSandbox(target: {
	origin: string;
	ca: string;
}): Promise<SandboxClient> {
	const dispatcher = new Agent({ connect: { ca: target.ca } });
	const call = async <T,>(
		method: 'GET' | 'PUT' | 'POST' | 'DELETE',
		path: string,
		body?: unknown,
	) => {
		const response = await request(`${target.origin}/_sandbox/${path}`, {
			method,
			dispatcher,
			...(body === undefined
				? {}
				: { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
		});
		const text = await response.body.text();
		if (response.statusCode >= 400)
			throw new Error(`The sandbox refuses ${method} ${path}: ${text}`);
		return JSON.parse(text) as T;
	};
	const { url, origin, apiKey, users } = await call<Info>('GET', 'info');
	return {
		url,
		origin,
		user: users[0],
		apiKey,
		users,
		requests: () => call('GET', 'requests'),
		counts: () => call('GET', 'counts'),
		state: () => call('GET', 'state'),
		settings: (changes) =>
			changes === undefined ? call('GET', 'settings') : call('PUT', 'settings', changes),
		faults: {
			add: (fault) => call('POST', 'faults', faultMessage(fault)),
			list: () => call('GET', 'faults'),
			clear: () => call('DELETE', 'faults'),
		},
		addContainers: (containers) => call('POST', 'containers', containers),
		addContacts: (contacts) => call('POST', 'contacts', contacts),
		clearRequests: () => call('DELETE', 'requests'),
		reset: () => call('POST', 'reset'),
		close: () => dispatcher.close(),
	};
}

function faultMessage({ path, times, ...rest }: Fault): FaultMessage {
	return {
		...rest,
		...(path === undefined ? {} : { path: { source: path.source, flags: path.flags } }),
		...(times === undefined ? {} : { times: times === Infinity ? null : times }),
	};
}
