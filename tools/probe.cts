import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { normalizeBaseUrl } from '../nodes/shared/client/connection.ts';
import {
	Api,
	ContractError,
	createForm,
	type Access,
	type StoredContainer,
} from './serviceClient.cts';
import { log, onInterrupt, runTool } from './tool.cts';

const HELP = `Compares a service with docs/openapi.yaml, by calling each operation once.

  --base-url <url>   Base URL of the API with its version, for example https://share.example.com/api/v1
  --key-file <file>  File that contains the API key and nothing else. Without it: the environment variable PROBE_API_KEY

It creates one container and one contact, marked with "n8n probe", and deletes both, also after an error or Ctrl+C.
It changes nothing else, and shows nothing of other records. Certificates: NODE_EXTRA_CA_CERTS. Proxy: HTTPS_PROXY.

Exit codes: 0 the service keeps to the contract, 1 it doesn't or the probe can't run, 2 something was not deleted.
`;

interface ProbeOptions {
	access: Access;
	/** Ends it early. */
	signal?: AbortSignal;
	log(text: string): void;
}

/** What is sent, and the status that the contract demands. */
type Request = [title: string, method: string, path: string, status: number, body?: object];

/**
 * Calls all operations on a container and a contact of its own, and deletes both.
 * @returns `findings`: what is not as the contract says; `leftovers`: what the service did not delete
 */
export async function probe(options: ProbeOptions) {
	const api = new Api(options.access);
	const findings: string[] = [];
	const leftovers: string[] = [];
	/** @returns the body of the response that the contract demands */
	const send = async <T,>(request: Request, client = api): Promise<T | undefined> => {
		options.signal?.throwIfAborted();
		const [title, method, path, status, body] = request;
		try {
			const response = await client.send<T>(method, path, { body });
			options.log(`${title}: ${method} ${response.status}`);
			if (response.status === status) return response.body;
			findings.push(`${title}: ${method} ${response.status} in place of ${status}`);
		} catch (error) {
			if (!(error instanceof ContractError)) throw error;
			findings.push(...error.violations.map((violation) => `${title}: ${method}: ${violation}`));
		}
		return undefined;
	};
	const sendAll = async (requests: Request[]) => {
		for (const request of requests) await send(request);
	};
	const remove = async (title: string, path: string) => {
		const status = await api.delete(path).then((deleted) => deleted.status, toText);
		if (status !== 204 && status !== 404) leftovers.push(`${title}: ${status}`);
	};

	const marker = randomBytes(8).toString('hex');
	const name = `n8n probe ${marker} (can be deleted)`;
	const email = `n8n-probe-${marker}@example.com`;
	const fail = (error: unknown) => void findings.push(toText(error));
	const who: Request = ['user', 'GET', '/me', 200];
	const me = await send<{ id: string; features?: string[] }>(who).catch(fail);
	if (!me) return { findings, leftovers };
	const user = `/users/${me.id}`;
	const contact = `${user}/contacts/${email}`;
	const rules = { recipients: [email], downloadable: false, time: { end: '2099-12-31' } };
	const form = createForm({ name, rules, text: 'A test.' });
	const unknown = randomUUID();
	let id: string | undefined;

	const walk = async () => {
		await send(['wrong key', 'GET', '/me', 401], api.withKey('n8n-probe-this-is-not-a-key'));
		const encode: Request = ['encode', 'POST', `${user}/containers/encode`, 201, form];
		id = (await send<{ container: StoredContainer }>(encode))?.container.uuid;
		if (id !== undefined) await sendAll(createContainerRequests(user, id));
		await sendAll([
			['unknown container', 'GET', `/containers/${unknown}`, 404],
			['unknown user', 'GET', `/users/${unknown}/containers`, 404],
			['containers', 'GET', `${user}/containers?limit=50`, 200],
			['contact', 'PATCH', contact, 201, { first_name: 'Probe', company: 'A', probe_field: 1 }],
			['change of a contact', 'PATCH', contact, 200, { company: 'Other' }],
			['contact', 'GET', contact, 200],
			['contacts', 'GET', `${user}/contacts?limit=50`, 200],
			['deletion of a contact', 'DELETE', contact, 204],
			['deleted contact', 'GET', contact, 404],
		]);
		if (me.features?.includes('events')) await send(['events', 'GET', `${user}/events`, 200]);
	};
	await walk().catch(fail);
	// By its name, which no other container has, where its ID never arrived.
	const query = new URLSearchParams({ name }).toString();
	const list = async () => await api.getAll<StoredContainer>(`${user}/containers?${query}`);
	const found = id === undefined ? await list().catch(fail) : [{ uuid: id }];
	for (const { uuid } of found ?? []) await remove(`container "${name}"`, `/containers/${uuid}`);
	await remove(`contact ${email}`, contact);
	return { findings, leftovers };
}

function createContainerRequests(user: string, id: string): Request[] {
	const path = `/containers/${id}`;
	const geo = { allow: [{ country: 'CH' }], block: [{ country: 'KP' }] };
	// For documentation only (RFC 5737), so nobody has them.
	const ip = { allow: ['192.0.2.1', '198.51.100.0/24', '203.0.113.1-203.0.113.9', '192.0.2.*'] };
	return [
		['container', 'GET', path, 200],
		['envelope', 'GET', user + path, 200],
		['rules', 'GET', `${path}/drm`, 200],
		['change of rules', 'PATCH', `${path}/drm`, 200, { opens: 3, geo, ip }],
		['end of access', 'PATCH', `${path}/drm`, 200, { time: { end: '2026-01-01' } }],
		['deletion', 'DELETE', path, 204],
		['deleted container', 'GET', path, 404],
	];
}

/** Without the addresses of the service. */
const toText = (error: unknown) => {
	if (error instanceof ContractError) return error.violations.join(', ');
	const { code, message } = error as { code?: string; message: string };
	return typeof code === 'string' ? code : message;
};

async function main(): Promise<number> {
	const text = { type: 'string' } as const;
	const { values } = parseArgs({
		options: { 'base-url': text, 'key-file': text, help: { type: 'boolean' } },
	});
	const { 'base-url': url, 'key-file': file } = values;
	if (values.help || url === undefined) {
		log(HELP);
		return values.help ? 0 : 1;
	}
	const apiKey = (file ? await readFile(file, 'utf8') : (process.env.PROBE_API_KEY ?? '')).trim();
	if (!/^[\x21-\x7e]+$/.test(apiKey)) {
		throw new Error(`${file ?? 'PROBE_API_KEY'} must contain the API key and nothing else.`);
	}
	const interruption = new AbortController();
	const access = { baseUrl: normalizeBaseUrl(url), apiKey };
	const running = probe({ access, signal: interruption.signal, log });
	onInterrupt(async () => {
		log('Stopping, and deleting what was created ...');
		interruption.abort();
		print(await running);
	});
	return print(await running);
}

function print({ findings, leftovers }: Awaited<ReturnType<typeof probe>>): number {
	for (const finding of findings) log(finding);
	for (const leftover of leftovers) log(`Not deleted, delete it by hand: ${leftover}`);
	if (leftovers.length > 0) return 2;
	if (findings.length > 0) return 1;
	log('The service keeps to the contract.');
	return 0;
}

if (require.main === module) runTool(main);
