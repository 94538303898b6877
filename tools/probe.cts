import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { normalizeBaseUrl } from '../nodes/shared/client/connection.ts';
import type { ApiCredentials } from './engine/credentials.cts';
import { cleanUp } from './probe/cleanUp.cts';
import { createReport } from './probe/findings.cts';
import { hasSucceeded, loadOperations, REQUIRED_STEPS, walk } from './probe/walk.cts';
import type { Owned, Step, WalkOptions } from './probe/walk.cts';
import { createRunFolder, packPackage, unpackPackage } from './project.cts';
import { log, onInterrupt, runTool } from './tool.cts';

const HELP = `Shows how a service handles the open points of docs/openapi.yaml, and what the node makes of it.

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

async function main(): Promise<number> {
	const credential = await readOptions(process.argv.slice(2), process.env);
	if (credential === undefined) {
		process.stdout.write(HELP);
		return 0;
	}
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
