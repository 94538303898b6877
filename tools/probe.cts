import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
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

interface Request {
	path: string;
	method?: string;
	body?: object;
	/** The status that the contract demands; 200 by default. */
	status?: number;
	api?: Api;
}

/**
 * Calls all operations on a container and a contact of its own, and deletes both.
 * @returns `findings`: what is not as the contract says; `leftovers`: what the service did not delete
 */
export async function probe(options: ProbeOptions) {
	const api = new Api(options.access);
	const findings: string[] = [];
	const leftovers: string[] = [];
	/** @returns the body of the response that the contract demands */
	const send = async <T,>(
		title: string,
		{ method = 'GET', path, body, status = 200, ...more }: Request,
	): Promise<T | undefined> => {
		options.signal?.throwIfAborted();
		try {
			const response = await (more.api ?? api).send<T>(method, path, { body });
			options.log(`${title}: ${method} ${response.status}`);
			if (response.status === status) return response.body;
			findings.push(`${title}: ${method} ${response.status} in place of ${status}`);
		} catch (error) {
			if (!(error instanceof ContractError)) throw error;
			findings.push(...error.violations.map((violation) => `${title}: ${method}: ${violation}`));
		}
		return undefined;
	};
	/** Deletes something, also where the service is busy, or what is to be deleted comes late. */
	const remove = async (title: string, findPaths: () => Promise<string[]>) => {
		for (let tries = 1; tries <= 4; tries += 1) {
			try {
				for (const path of await findPaths()) {
					const { status } = await api.delete(path);
					if (status >= 400 && status !== 404) throw new Error(`DELETE ${status}`);
				}
				return options.log(`Deleted the ${title}`);
			} catch (error) {
				if (tries === 4) leftovers.push(`${title}: ${toText(error)}`);
				else await wait(1500);
			}
		}
	};

	const marker = randomBytes(8).toString('hex');
	const name = `n8n probe ${marker} (can be deleted)`;
	const email = `n8n-probe-${marker}@example.com`;
	const me = await send<{ id: string; features?: string[] }>('user', { path: '/me' }).catch(
		(error: unknown) => void findings.push(`user: ${toText(error)}`),
	);
	if (!me) return { findings, leftovers };
	const user = `/users/${me.id}`;
	const contact = { path: `${user}/contacts/${email}` };
	let id: string | undefined;
	let hasUploaded = false;
	let hasContact = false;

	const walk = async () => {
		const wrongKey = api.withKey('n8n-probe-this-is-not-a-key');
		await send('wrong key', { path: '/me', status: 401, api: wrongKey });
		const rules = { recipients: [email], downloadable: false, time: { end: '2099-12-31' } };
		const encode = { method: 'POST', path: `${user}/containers/encode`, status: 201 };
		hasUploaded = true;
		const form = createForm({ name, rules, text: 'A test.' });
		const created = await send<{ container: StoredContainer }>('encode', { ...encode, body: form });
		id = created?.container.uuid;
		if (id !== undefined) await walkContainer(id);
		const unknown = randomUUID();
		await send('unknown container', { path: `/containers/${unknown}`, status: 404 });
		await send('unknown user', { path: `/users/${unknown}/containers`, status: 404 });
		await send('containers', { path: `${user}/containers?limit=50` });
		if (me.features?.includes('events')) await send('events', { path: `${user}/events?limit=50` });

		hasContact = true;
		const fields = { first_name: 'Probe', company: 'Example Ltd', probe_field: 1 };
		await send('contact', { ...contact, method: 'PATCH', body: fields, status: 201 });
		await send('change of a contact', { ...contact, method: 'PATCH', body: { company: 'Other' } });
		await send('contact', contact);
		await send('contacts', { path: `${user}/contacts?limit=50` });
		await send('deletion of a contact', { ...contact, method: 'DELETE', status: 204 });
		await send('deleted contact', { ...contact, status: 404 });
	};
	const walkContainer = async (container: string) => {
		const path = `/containers/${container}`;
		const drm = { path: `${path}/drm` };
		await send('container', { path });
		await send('envelope', { path: user + path });
		await send('rules', drm);
		const geo = { allow: [{ country: 'CH' }], block: [{ country: 'KP' }] };
		// For documentation only (RFC 5737), so nobody has them.
		const ip = { allow: ['192.0.2.1', '198.51.100.0/24', '203.0.113.1-203.0.113.9', '192.0.2.*'] };
		await send('rules', { ...drm, method: 'PATCH', body: { opens: 3, geo, ip } });
		await send('end', { ...drm, method: 'PATCH', body: { time: { end: '2026-01-01' } } });
		await send('deletion', { method: 'DELETE', path, status: 204 });
		await send('deleted container', { path, status: 404 });
	};
	/** By its name, which no other container has, where its ID never arrived. */
	const findContainers = async () => {
		if (id !== undefined) return [`/containers/${id}`];
		const query = new URLSearchParams({ name }).toString();
		const found = await api.getAll<StoredContainer>(`${user}/containers?${query}`);
		// An upload that was cut off can still arrive.
		if (found.length === 0) throw new Error('it is not in the list of containers');
		return found.map(({ uuid }) => `/containers/${uuid}`);
	};

	await walk().catch((error: unknown) => findings.push(toText(error)));
	if (hasUploaded) await remove(`container "${name}"`, findContainers);
	if (hasContact) await remove(`contact ${email}`, async () => [contact.path]);
	return { findings, leftovers };
}

/** Without the addresses of the service. */
const toText = (error: unknown) => {
	if (error instanceof ContractError) return error.violations.join(', ');
	const { code, message } = error as { code?: string; message: string };
	return typeof code === 'string' ? code : message;
};

/** @returns nothing when the user asks for help; @throws Error for an option that can't be used */
export async function readOptions(
	args: string[],
	env: NodeJS.ProcessEnv,
): Promise<Access | undefined> {
	const text = { type: 'string' } as const;
	const options = { 'base-url': text, 'key-file': text, help: { type: 'boolean' } } as const;
	const { 'base-url': url, 'key-file': file, help } = parseArgs({ args, options }).values;
	if (help) return undefined;
	if (url === undefined) throw new Error('--base-url is missing. See --help.');
	const baseUrl = normalizeBaseUrl(url);
	const apiKey = (file ? await readFile(file, 'utf8') : (env.PROBE_API_KEY ?? '')).trim();
	if (/^[\x21-\x7e]+$/.test(apiKey)) return { baseUrl, apiKey };
	throw new Error(`${file ?? 'PROBE_API_KEY'} must contain the API key and nothing else.`);
}

async function main() {
	const access = await readOptions(process.argv.slice(2), process.env);
	if (access === undefined) return log(HELP);
	const interruption = new AbortController();
	const running = probe({ access, signal: interruption.signal, log }).then(print);
	onInterrupt(async () => {
		log('Stopping, and deleting what was created ...');
		interruption.abort();
		await running;
	});
	return await running;
}

function print({ findings, leftovers }: Awaited<ReturnType<typeof probe>>): number {
	for (const finding of findings) log(finding);
	for (const leftover of leftovers) {
		process.stderr.write(`Not deleted, delete it by hand: ${leftover}\n`);
	}
	if (leftovers.length > 0) return 2;
	if (findings.length > 0) return 1;
	log('The service keeps to the contract.');
	return 0;
}

if (require.main === module) runTool(main);
