import { parseArgs } from 'node:util';
import type { SandboxSettings } from './index.cts';
import { startSandbox } from './index.cts';

const HELP = `Starts the stand-in of the service on this machine.

  npx tsx sandbox/cli.cts [options]

  --port <number>       port; a free one unless given
  --api-key <key>       key of the default user; made up unless given
  --set <name=value>    a setting, its value as JSON or text; may be given several times
  --folder <path>       folder for the certificate and kept files; a temporary one unless given
  --keep-files          keeps the bytes of uploaded files
  --json                prints one line of JSON when it is ready, and nothing else
  --end-with-input      stops when standard input ends, so that it does not outlive who started it
  --help                prints this
`;

interface CommandLine {
	port: number;
	apiKey?: string;
	folder?: string;
	json: boolean;
	endWithInput: boolean;
	settings: Partial<SandboxSettings>;
}

/** @returns what the command line asks for, or nothing when it asks for help; @throws Error on an unknown option */
function readCommandLine(): CommandLine | undefined {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '0' },
			'api-key': { type: 'string' },
			set: { type: 'string', multiple: true, default: [] },
			folder: { type: 'string' },
			'keep-files': { type: 'boolean', default: false },
			json: { type: 'boolean', default: false },
			'end-with-input': { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	const port = Number(values.port);
	if (!Number.isInteger(port) || port < 0 || port > 65_535) {
		throw new Error(`--port ${values.port} is not a port`);
	}
	return {
		port,
		apiKey: values['api-key'],
		folder: values.folder,
		json: values.json,
		endWithInput: values['end-with-input'],
		settings: {
			...(values['keep-files'] ? { keepFiles: true } : {}),
			...Object.fromEntries(values.set.map(settingOf)),
		},
	};
}

function settingOf(text: string): [string, unknown] {
	const [name, ...rest] = text.split('=');
	const value = rest.join('=');
	try {
		return [name, JSON.parse(value)];
	} catch {
		return [name, value];
	}
}

async function main(): Promise<void> {
	const asked = readCommandLine();
	if (asked === undefined) {
		process.stdout.write(HELP);
		return;
	}
	const { url, origin, apiKey, caPath, user, stop } = await startSandbox(asked);
	const end = () => void stop().then(() => process.exit(0));
	process.once('SIGINT', end);
	process.once('SIGTERM', end);
	if (asked.endWithInput) process.stdin.resume().once('end', end).once('error', end);
	process.stdout.write(
		asked.json
			? `${JSON.stringify({ url, origin, apiKey, caPath, userId: user.id })}\n`
			: `Base URL               ${url}
API key                ${apiKey}
User id                ${user.id}
Certificate authority  ${caPath}

curl --cacert ${caPath} -H 'Authorization: Bearer ${apiKey}' ${url}/me
`,
	);
}

main().catch((error: Error) => {
	process.stderr.write(`${error.message}\n`);
	process.exitCode = 1;
});
