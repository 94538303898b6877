import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { normalizeBaseUrl } from '../nodes/shared/client/connection.ts';
import type { ApiCredentials } from './engine/credentials.cts';
import { probe } from './probe/probe.cts';
import { loadOperations } from './probe/walk.cts';
import { createRunFolder, packPackage, unpackPackage } from './project.cts';
import { consoleProgress, isInterrupted, onInterrupt, runTool } from './tool.cts';

const HELP = `Shows how a service handles the open points of docs/openapi.yaml, and what the node makes of it.

  npm run probe -- --base-url <url> --key-file <file>

  --base-url <url>   Base URL of the API with its version, for example https://share.example.com/api/v1
  --key-file <file>  File that contains the API key and nothing else. Without it: the environment variable PROBE_API_KEY
  --help             Print this help

It creates one container and one contact, marked with "n8n probe", and deletes both, also after an error or Ctrl+C.
It changes nothing else, and shows nothing of other records. Certificates: NODE_EXTRA_CA_CERTS. Proxy: HTTPS_PROXY.

Exit codes: 0 the node understands the service, 1 it doesn't or the probe can't run, 2 something was not deleted.
`;

async function main(): Promise<number> {
	const credential = await readOptions(process.argv.slice(2), process.env);
	if (credential === undefined) {
		process.stdout.write(HELP);
		return 0;
	}
	const progress = consoleProgress();
	const folder = await createRunFolder('probe');
	const packageFolder = join(folder, 'package');
	await unpackPackage(await packPackage(folder, progress), packageFolder);
	const run = await loadOperations(packageFolder);

	const interruption = new AbortController();
	const running = probe({ credential, run, signal: interruption.signal, log: progress.log });
	onInterrupt(async () => {
		progress.log('Stopping, and deleting what was created ...');
		interruption.abort();
		print((await running).leftovers);
	});
	const { report, failed, leftovers, error } = await running;
	if (isInterrupted()) return 1;
	process.stdout.write(`\n${report}\n\n`);
	if (error !== undefined) process.stderr.write(`The probe ended early: ${error}\n`);
	if (failed.length > 0) process.stderr.write(`The node failed at: ${failed.join(', ')}\n`);
	print(leftovers);
	if (leftovers.length > 0) return 2;
	return error === undefined && failed.length === 0 ? 0 : 1;
}

/** @returns nothing when the user asks for help; @throws Error for an option that can't be used */
export async function readOptions(
	args: string[],
	env: NodeJS.ProcessEnv,
): Promise<ApiCredentials | undefined> {
	const text = { type: 'string' } as const;
	const options = { 'base-url': text, 'key-file': text, help: { type: 'boolean' } } as const;
	const { values } = parseArgs({ args, options });
	if (values.help) return undefined;
	if (values['base-url'] === undefined) throw new Error('--base-url is missing. See --help.');
	const baseUrl = normalizeBaseUrl(values['base-url']);
	const file = values['key-file'];
	const key = file === undefined ? env.PROBE_API_KEY : await readFile(file, 'utf8');
	const apiKey = key?.trim() ?? '';
	if (/^[\x21-\x7e]+$/.test(apiKey)) return { baseUrl, apiKey };
	throw new Error(`${file ?? 'PROBE_API_KEY'} must contain the API key and nothing else.`);
}

function print(leftovers: string[]): void {
	for (const leftover of leftovers) {
		process.stderr.write(`Not deleted, delete it by hand: ${leftover}\n`);
	}
}

if (require.main === module) runTool(main);
