import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Agent, request } from 'undici';
import type { Fault } from './faults.cts';
import type { Counts, ReceivedRequest, SandboxOptions, SandboxSettings } from './index.cts';
import type { NewContact, NewContainer, Store, StoredContact, StoredContainer } from './store.cts';
import type { SandboxUser } from './store.cts';

interface Info {
	url: string;
	origin: string;
	apiKey: string;
	users: SandboxUser[];
}

/**
 * Connects to a running sandbox, with the names of Sandbox. Each call is a request to its control interface.
 *
 * @param target its origin (https://localhost:PORT) and its certificate authority as PEM
 * @throws Error when the sandbox can't be reached or refuses a call
 */
export async function connectSandbox(target: { origin: string; ca: string }) {
	const dispatcher = new Agent({ connect: { ca: target.ca } });
	const call = async <T = void,>(
		method: 'GET' | 'PUT' | 'POST' | 'DELETE',
		name: string,
		body?: unknown,
	) => {
		const headers = { 'content-type': 'application/json' };
		const response = await request(`${target.origin}/_sandbox/${name}`, {
			method,
			dispatcher,
			...(body === undefined ? {} : { headers, body: JSON.stringify(body) }),
		});
		const text = await response.body.text();
		if (response.statusCode < 400) return JSON.parse(text) as T;
		throw new Error(`The sandbox refuses ${method} ${name}: ${text}`);
	};
	const info = await call<Info>('GET', 'info');
	return {
		...info,
		user: info.users[0],
		requests: async () => await call<ReceivedRequest[]>('GET', 'requests'),
		counts: async () => await call<Counts>('GET', 'counts'),
		state: async () => await call<ReturnType<Store['snapshot']>>('GET', 'state'),
		/** Changes settings and returns all of them. */
		settings: async (changes: Partial<SandboxSettings>) =>
			await call<SandboxSettings>('PUT', 'settings', changes),
		faults: {
			add: async ({ path: pattern, times, ...rest }: Fault) =>
				await call('POST', 'faults', {
					...rest,
					...(pattern && { path: { source: pattern.source, flags: pattern.flags } }),
					times: times === Infinity ? null : times,
				}),
			list: async () => await call<object[]>('GET', 'faults'),
			clear: async () => await call('DELETE', 'faults'),
		},
		addContainers: async (containers: Array<Partial<NewContainer>>) =>
			await call<StoredContainer[]>('POST', 'containers', containers),
		addContacts: async (contacts: Array<Partial<NewContact> & { email: string }>) =>
			await call<StoredContact[]>('POST', 'contacts', contacts),
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
export async function startSandboxProcess({
	settings = {},
	port,
	apiKey,
	folder,
}: Omit<SandboxOptions, 'users' | 'basePath'> = {}) {
	const given = Object.entries({ port, 'api-key': apiKey, folder })
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => `--${name}=${value}`);
	const set = Object.entries(settings).flatMap(([name, value]) => [
		'--set',
		`${name}=${JSON.stringify(value)}`,
	]);
	const cli = path.join(__dirname, 'cli.cts');
	const args = ['--import', TSX, cli, '--json', '--end-with-input', ...given, ...set];
	const child = spawn(process.execPath, args, { stdio: 'pipe' });
	let errors = '';
	child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
	const ended = once(child, 'close');
	const [line] = (await Promise.race([
		once(createInterface({ input: child.stdout }), 'line'),
		ended.then(() => [undefined]),
	])) as [string | undefined];
	if (line === undefined) throw new Error(`The sandbox didn't start: ${errors.trim()}`);
	const { origin, caPath } = JSON.parse(line) as { origin: string; caPath: string };
	const ca = await readFile(caPath, 'utf8');
	const client = await connectSandbox({ origin, ca });
	return {
		...client,
		caPath,
		ca,
		async stop() {
			await client.close();
			child.stdin.end();
			const [code] = (await ended) as [number | null];
			if (code !== 0) throw new Error(`The sandbox failed: ${errors.trim()}`);
		},
	};
}
