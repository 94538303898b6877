import { parseArgs } from 'node:util';
import type { SandboxSettings } from './index.cts';
import { startSandbox } from './index.cts';

const HELP = `Starts the sandbox service on this machine.

  npx tsx sandbox/cli.cts [options]

  --port <number>       Port. Default: a free port
  --api-key <key>       API key of the default user. Default: a random key
  --set <name=value>    A setting, with its value as JSON or text. You can repeat this option
  --folder <path>       Folder for the certificate. Default: a temporary folder
  --json                Print one line of JSON when the service is ready, and nothing else
  --end-with-input      Stop when standard input ends, for example when the parent process ends
  --help                Print this help
`;

interface CommandLine {
	port: number;
	apiKey?: string;
	folder?: string;
	json: boolean;
	endWithInput: boolean;
	settings: Partial<SandboxSettings>;
}

/** @returns nothing when the user asks for help; @throws Error for an unknown option */
function parseCommandLine(): CommandLine | undefined {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '0' },
			'api-key': { type: 'string' },
			set: { type: 'string', multiple: true, default: [] },
			folder: { type: 'string' },
			json: { type: 'boolean', default: false },
			'end-with-input': { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	const port = Number(values.port);
	if (!Number.isInteger(port) || port < 0 || port > 65_535) {
		throw new Error(`--port ${values.port} is not a valid port`);
	}
	return {
		port,
		apiKey: values['api-key'],
		folder: values.folder,
		json: values.json,
		endWithInput: values['end-with-input'],
		settings: Object.fromEntries(values.set.map(parseSetting)),
	};
}

function parseSetting(text: string): [string, unknown] {
	const [name, ...rest] = text.split('=');
	const value = rest.join('=');
	try {
		return [name, JSON.parse(value)];
	} catch {
		return [name, value];
	}
}

async function main(): Promise<void> {
	const options = parseCommandLine();
	if (options === undefined) {
		process.stdout.write(HELP);
		return;
	}
	const { url, origin, apiKey, caPath, user, stop } = await startSandbox(options);
	const end = () => {
		stop().then(
			() => process.exit(0),
			(error: Error) => {
				process.stderr.write(`${error.message}\n`);
				process.exit(1);
			},
		);
	};
	process.once('SIGINT', end);
	process.once('SIGTERM', end);
	if (options.endWithInput) process.stdin.resume().once('end', end).once('error', end);
	process.stdout.write(
		options.json
			? `${JSON.stringify({ url, origin, apiKey, caPath, userId: user.id })}\n`
			: `Base URL               ${url}
API key                ${apiKey}
User ID                ${user.id}
Certificate authority  ${caPath}

curl --cacert ${caPath} -H 'Authorization: Bearer ${apiKey}' ${url}/me
`,
	);
}

main().catch((error: Error) => {
	process.stderr.write(`${error.message}\n`);
	process.exitCode = 1;
});
