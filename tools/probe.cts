import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { IDataObject } from 'n8n-workflow';
import { normalizeBaseUrl } from '../nodes/shared/client/connection.ts';
import type { ApiCredentials } from './engine/credentials.cts';
import { loadOperations, planSteps, walk, type Owned, type WalkOptions } from './probe/walk.cts';
import { createRunFolder, packPackage, unpackPackage } from './project.cts';
import { log, onInterrupt, runTool } from './tool.cts';

const HELP = `Compares a service with docs/openapi.yaml, by running each operation of the node once.

  --base-url <url>   Base URL of the API with its version, for example https://share.example.com/api/v1
  --key-file <file>  File that contains the API key and nothing else. Without it: the environment variable PROBE_API_KEY

It creates one container and one contact, marked with "n8n probe", and deletes both, also after an error or Ctrl+C.
It changes nothing else, and shows nothing of other records. Certificates: NODE_EXTRA_CA_CERTS. Proxy: HTTPS_PROXY.

Exit codes: 0 the service keeps to the contract, 1 it doesn't or the probe can't run, 2 something was not deleted.
`;

/**
 * Walks all operations on a container and a contact of its own, and deletes both.
 * @returns `findings`: what is not as the contract says; `leftovers`: what the service did not delete
 */
export async function probe(options: Omit<WalkOptions, 'owned'>) {
	const { baseUrl, apiKey } = options.credential;
	const marker = randomBytes(8).toString('hex');
	const owned: Owned = {
		containerName: `n8n probe ${marker} (can be deleted)`,
		email: `n8n-probe-${marker}@example.com`,
	};
	/** Without what identifies the service and its user. */
	const redact = (text: string) => {
		const { host, hostname } = new URL(baseUrl);
		const secrets = [apiKey, baseUrl, host, hostname, owned.containerId, owned.userId];
		return secrets.reduce<string>((all, one) => (one ? all.replaceAll(one, '…') : all), text);
	};
	const walkOptions = { ...options, owned, log: (text: string) => options.log(redact(text)) };
	const findings: string[] = [];
	await walk(walkOptions, findings).catch(({ message }: Error) => findings.push(message));
	const leftovers = await cleanUp(walkOptions);
	return { findings: findings.map(redact), leftovers: leftovers.map(redact) };
}

/**
 * Ends access to the container and deletes it and the contact, however far the walk came.
 * @returns what the service did not delete, in words
 */
async function cleanUp({ owned, credential, run, log }: WalkOptions): Promise<string[]> {
	const { containers, deleteContact } = planSteps(owned);
	const send = async (parameters: IDataObject) => {
		const { items, error } = await run(parameters, credential);
		if (error === undefined || error.httpCode === '404') return items;
		throw new Error(error.message);
	};
	const leftovers: string[] = [];
	const attempt = async (what: string, work: () => Promise<unknown>) => {
		for (let tries = 1; ; tries += 1) {
			try {
				await work();
				return log(`Deleted the ${what}`);
			} catch (error) {
				if (tries === 4) return void leftovers.push(`${what}: ${(error as Error).message}`);
				await wait(1500);
			}
		}
	};
	/** By its name, which no other container has, where its ID never arrived. */
	const findContainers = async () => {
		if (owned.containerId !== undefined) return [owned.containerId];
		const options = { ...(containers.options as object), nameContains: owned.containerName };
		const found = await send({ ...containers, returnAll: true, options });
		if (found.length > 0) return found.map(({ uuid }) => String(uuid));
		// An upload that was cut off can still arrive.
		throw new Error('it is not in the list of containers');
	};

	if (owned.hasUploaded) {
		await attempt(`container "${owned.containerName}"`, async () => {
			for (const containerId of await findContainers()) {
				const { revoke, deleteContainer } = planSteps({ ...owned, containerId });
				// Deleting the container ends access as well; this is for the case that it can't be deleted.
				await send(revoke).catch(() => undefined);
				await send(deleteContainer);
			}
		});
	}
	if (owned.hasContact) {
		await attempt(`contact ${owned.email}`, async () => await send(deleteContact));
	}
	return leftovers;
}

/** @returns nothing when the user asks for help; @throws Error for an option that can't be used */
export async function readOptions(
	args: string[],
	env: NodeJS.ProcessEnv,
): Promise<ApiCredentials | undefined> {
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
	const credential = await readOptions(process.argv.slice(2), process.env);
	if (credential === undefined) return log(HELP);
	const folder = await createRunFolder('probe');
	const packageFolder = join(folder, 'package');
	await unpackPackage(await packPackage(folder), packageFolder);

	const run = await loadOperations(packageFolder);
	const interruption = new AbortController();
	const running = probe({ credential, run, signal: interruption.signal, log }).then(print);
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
