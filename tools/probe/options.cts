import { readFile, stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { normalizeBaseUrl } from '../../nodes/shared/client/baseUrl.ts';

export const HELP = `Shows how a service handles the open points of docs/openapi.yaml, and what the node makes of it.

  npm run probe -- --base-url <url> --key-file <file> [--save <folder>]

  --base-url <url>   Base URL of the API with its version, for example https://share.example.com/api/v1
  --key-file <file>  File that contains the API key and nothing else. Without it: the environment variable PROBE_API_KEY
  --save <folder>    Save the responses and the table, without keys, addresses and identifiers
  --help             Print this help

It creates one container and one contact, marked with "n8n probe", and deletes both, also after an error or Ctrl+C.
It changes nothing else, and shows nothing of other records. Certificates: NODE_EXTRA_CA_CERTS. Proxy: HTTPS_PROXY.

Exit codes: 0 the node understands the service, 1 it doesn't or the probe can't run, 2 something was not deleted.
`;

interface Options {
	baseUrl: string;
	apiKey: string;
	save?: string;
}

/** @returns nothing when the user asks for help; @throws Error for an option that can't be used */
export async function readOptions(
	args: string[],
	env: NodeJS.ProcessEnv,
): Promise<Options | undefined> {
	const { values } = parseArgs({
		args,
		options: {
			'base-url': { type: 'string' },
			'key-file': { type: 'string' },
			save: { type: 'string' },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	if (values['base-url'] === undefined) throw new Error('--base-url is missing. See --help.');
	const baseUrl = readBaseUrl(values['base-url']);
	const apiKey = await readKey(values['key-file'], env.PROBE_API_KEY);
	if (values.save !== undefined) await assertFolder(values.save);
	return { baseUrl, apiKey, save: values.save };
}

function readBaseUrl(text: string): string {
	try {
		return normalizeBaseUrl(text);
	} catch (error) {
		const reason = (error as Error).message.replace('The Base URL in the credential', 'It');
		throw new Error(`--base-url can't be used. ${reason}.`);
	}
}

async function readKey(file: string | undefined, fromEnvironment = ''): Promise<string> {
	const source = file === undefined ? 'PROBE_API_KEY' : `The file ${file}`;
	const text = file === undefined ? fromEnvironment : await readKeyFile(file);
	const key = text.trim();
	if (key === '' && file === undefined) {
		throw new Error('There is no API key: use --key-file, or set PROBE_API_KEY.');
	}
	if (key === '' || !/^[\x21-\x7e]+$/.test(key)) {
		throw new Error(`${source} must contain the API key and nothing else.`);
	}
	return key;
}

async function readKeyFile(file: string): Promise<string> {
	try {
		return await readFile(file, 'utf8');
	} catch (error) {
		throw new Error(`--key-file can't be read: ${(error as Error).message}`);
	}
}

async function assertFolder(folder: string): Promise<void> {
	const found = await stat(folder).catch(() => undefined);
	if (found !== undefined && !found.isDirectory()) {
		throw new Error(`--save ${folder} is not a folder.`);
	}
}
