import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Agent, request } from 'undici';
import type { Fault } from './faults.cts';
import type { Counts, ReceivedRequest, SandboxOptions, SandboxSettings } from './index.cts';
import type { NewContact, NewContainer, Store, StoredContainer } from './store.cts';

/** How to reach a running sandbox. */
export interface SandboxAddress {
	url: string;
	origin: string;
	apiKey: string;
	/** Its certificate authority as PEM. */
	ca: string;
	user: { id: string };
}

/**
 * Controls a running sandbox, with the names of Sandbox. Each call is a request to its control interface.
 *
 * @throws Error when the sandbox can't be reached or refuses a call
 */
export function connectSandbox(address: SandboxAddress) {
	const dispatcher = new Agent({ connect: { ca: address.ca } });
	const call = async <T = void,>(
		method: 'GET' | 'PUT' | 'POST' | 'DELETE',
		name: string,
		body?: unknown,
	) => {
		const response = await request(`${address.origin}/_sandbox/${name}`, {
			method,
			dispatcher,
			headers: { authorization: `Bearer ${address.apiKey}` },
			body: JSON.stringify(body),
		});
		const text = await response.body.text();
		if (response.statusCode < 400) return JSON.parse(text) as T;
		throw new Error(`The sandbox refuses ${method} ${name}: ${text}`);
	};
	return {
		...address,
		requests: async () => await call<ReceivedRequest[]>('GET', 'requests'),
		counts: async () => await call<Counts>('GET', 'counts'),
		state: async () => await call<ReturnType<Store['snapshot']>>('GET', 'state'),
		/** Changes settings and returns all of them. */
		settings: async (changes: Partial<SandboxSettings>) =>
			await call<SandboxSettings>('PUT', 'settings', changes),
		faults: {
			/** JSON writes an infinite number as null. */
			add: async (fault: Fault) =>
				await call('POST', 'faults', { ...fault, path: fault.path?.source }),
		},
		addContainers: async (containers: Array<Partial<NewContainer>>) =>
			await call<StoredContainer[]>('POST', 'containers', containers),
		addContacts: async (contacts: Array<Omit<NewContact, 'userId'>>) =>
			await call('POST', 'contacts', contacts),
		clearRequests: async () => await call('DELETE', 'requests'),
		reset: async () => await call('POST', 'reset'),
		/** Closes the connection; the sandbox keeps running. */
		close: async () => await dispatcher.close(),
	};
}

const TSX = pathToFileURL(require.resolve('tsx')).href;

/**
 * Starts a sandbox in a process of its own, so that it doesn't affect what its user measures. It ends when this process
 * ends.
 *
 * @throws Error with its output, when it doesn't start
 */
export async function startSandboxProcess({ settings = {}, port, folder }: SandboxOptions = {}) {
	const given = Object.entries({ port, folder })
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => `--${name}=${value}`);
	const set = Object.entries(settings).flatMap(([name, value]) => [
		'--set',
		`${name}=${JSON.stringify(value)}`,
	]);
	const cli = path.join(__dirname, 'cli.cts');
	const args = ['--import', TSX, cli, '--json', ...given, ...set];
	const child = spawn(process.execPath, args, { stdio: 'pipe' });
	let errors = '';
	child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
	const ended = once(child, 'close');
	const [line] = (await Promise.race([
		once(createInterface({ input: child.stdout }), 'line'),
		ended.then(() => [undefined]),
	])) as [string | undefined];
	if (line === undefined) throw new Error(`The sandbox didn't start: ${errors.trim()}`);
	const address = JSON.parse(line) as SandboxAddress & { caPath: string };
	const client = connectSandbox(address);
	return {
		...client,
		caPath: address.caPath,
		async stop() {
			await client.close();
			child.stdin.end();
			const [code] = (await ended) as [number | null];
			if (code !== 0) throw new Error(`The sandbox failed: ${errors.trim()}`);
		},
	};
}
