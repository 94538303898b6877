import { parseArgs } from 'node:util';
import { startSandbox } from './index.cts';

const HELP = `Starts the sandbox service on this machine.

  npx tsx sandbox/cli.cts [options]

  --port <number>       Port. Default: a free port
  --api-key <key>       API key of the default user. Default: a random key
  --set <name=value>    A setting, with its value as JSON or text. You can repeat this option
  --folder <path>       Folder for the certificate. Default: a temporary folder
  --json                For programs: print one line of JSON when the service is ready, and stop when standard input ends
  --help                Print this help
`;

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
	const text = { type: 'string' } as const;
	const flag = { type: 'boolean' } as const;
	const { values } = parseArgs({
		options: {
			...{ port: text, 'api-key': text, folder: text, help: flag, json: flag },
			set: { type: 'string', multiple: true, default: [] },
		},
	});
	if (values.help) return void process.stdout.write(HELP);
	const { url, origin, apiKey, ca, caPath, user, stop } = await startSandbox({
		port: Number(values.port ?? 0),
		apiKey: values['api-key'],
		folder: values.folder,
		settings: Object.fromEntries(values.set.map(parseSetting)),
	});
	const end = () => void stop().then(() => process.exit(0), fail);
	process.once('SIGINT', end);
	process.once('SIGTERM', end);
	if (values.json) {
		process.stdin.resume().once('end', end).once('error', end);
		process.stdout.write(`${JSON.stringify({ url, origin, apiKey, ca, caPath, user })}\n`);
		return;
	}
	process.stdout.write(`Base URL               ${url}
API key                ${apiKey}
User ID                ${user.id}
Certificate authority  ${caPath}

curl --cacert ${caPath} -H 'Authorization: Bearer ${apiKey}' ${url}/me
`);
}

function fail(error: Error): void {
	process.stderr.write(`${error.message}\n`);
	process.exit(1);
}

main().catch(fail);
