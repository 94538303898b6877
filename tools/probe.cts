import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { IDataObject } from 'n8n-workflow';
import { getContainerIdentity } from '../nodes/shared/api/records.ts';
import { normalizeBaseUrl } from '../nodes/shared/client/connection.ts';
import type { ApiCredentials } from './engine/credentials.cts';
import { createReport } from './probe/findings.cts';
import { hasSucceeded, loadOperations, planSteps, REQUIRED_STEPS, walk } from './probe/walk.cts';
import type { Owned, Step, WalkOptions } from './probe/walk.cts';
import { createRunFolder, packPackage, unpackPackage } from './project.cts';
import { log, onInterrupt, runTool } from './tool.cts';

const HELP = `Shows how a service handles the open points of sandbox/openapi.yaml, and what the node makes of it.

  --base-url <url>   Base URL of the API with its version, for example https://share.example.com/api/v1
  --key-file <file>  File that contains the API key and nothing else. Without it: the environment variable PROBE_API_KEY

It creates one container and one contact, marked with "n8n probe", and deletes both, also after an error or Ctrl+C.
It changes nothing else, and shows nothing of other records. Certificates: NODE_EXTRA_CA_CERTS. Proxy: HTTPS_PROXY.

Exit codes: 0 the node understands the service, 1 it doesn't or the probe can't run, 2 something was not deleted.
`;

/**
 * Walks all operations on a container and a contact of its own, deletes both, and reports: `failed` are operations that
 * failed or did not run, `leftovers` what the service did not delete, `error` why the walk ended early.
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
	const steps: Step[] = [];
	const error = await walk(walkOptions, steps).catch(({ message }: Error) => redact(message));
	const leftovers = (await cleanUp(walkOptions, steps)).map(redact);
	const failed = REQUIRED_STEPS.filter((id) => !hasSucceeded(steps, id));
	return { report: redact(await createReport(steps)), failed, leftovers, error };
}

/**
 * Ends access to the container and deletes it and the contact, however far the walk came.
 * @returns what the service did not delete, in words
 */
async function cleanUp({ owned, credential, run, log }: WalkOptions, steps: Step[]) {
	const { containers, deleteContact } = planSteps(owned);
	const send = async (parameters: IDataObject) => {
		const { items, error } = await run(parameters, credential);
		if (error === undefined || ['404', '410'].includes(error.httpCode ?? '')) return items;
		throw new Error(error.message);
	};
	const leftovers: string[] = [];
	const attempt = async (what: string, work: (isLast: boolean) => Promise<unknown>) => {
		for (const isLast of [false, false, false, true]) {
			try {
				await work(isLast);
				return log(`Deleted the ${what}`);
			} catch (error) {
				if (isLast) leftovers.push(`${what}: ${(error as Error).message}`);
				else await wait(1500);
			}
		}
	};
	/** By its name, which no other container has, where its ID never arrived. */
	const findContainers = async ({ exchanges }: Step, isLast: boolean) => {
		if (owned.containerId !== undefined && exchanges.length === 1) return [owned.containerId];
		const options = { ...(containers.options as object), nameContains: owned.containerName };
		const found = await send({ ...containers, returnAll: true, options });
		const ids = found.map((item) => getContainerIdentity(item).id);
		// An upload that was cut off can still arrive.
		const kind = Math.floor((exchanges.at(-1)?.status ?? 0) / 100);
		if (ids.length > 0 || kind === 4 || (isLast && kind !== 2)) return ids;
		throw new Error('it is not in the list of containers');
	};

	const upload = steps.find(({ id }) => id === 'encode');
	if (upload !== undefined && !hasSucceeded(steps, 'deleteContainer')) {
		await attempt(`container "${owned.containerName}"`, async (isLast) => {
			for (const containerId of await findContainers(upload, isLast)) {
				const { revoke, deleteContainer } = planSteps({ ...owned, containerId });
				// Deleting the container ends access as well; this is for the case that it can't be deleted.
				await send(revoke).catch(() => undefined);
				await send(deleteContainer);
			}
		});
	}
	if (steps.some(({ id }) => id === 'contact') && !hasSucceeded(steps, 'deleteContact')) {
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

function print({ report, failed, leftovers, error }: Awaited<ReturnType<typeof probe>>): number {
	log(`\n${report}\n`);
	const problems = leftovers.map((leftover) => `Not deleted, delete it by hand: ${leftover}`);
	if (failed.length > 0)
		problems.unshift(`The node failed at, or did not run: ${failed.join(', ')}`);
	if (error !== undefined) problems.unshift(`The probe ended early: ${error}`);
	for (const problem of problems) process.stderr.write(`${problem}\n`);
	if (leftovers.length > 0) return 2;
	return problems.length === 0 ? 0 : 1;
}

if (require.main === module) runTool(main);
