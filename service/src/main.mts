#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { COMMANDS_HELP, runCommand } from './commands.mts';
import { readConfig, SettingError } from './config.mts';
import { start } from './start.mts';

const HELP = `Encrypts files into containers, and decides at each opening who can open them.

  service [options]                      Start the service
${COMMANDS_HELP}
Options, which are also settings of the environment (service/README.md lists all settings):

  --data <folder>        DATA_DIR      Where everything is stored. Default: ./data
  --port <number>        PORT          Default: 8443
  --public-url <url>     PUBLIC_URL    Where recipients reach the service. Default: https://localhost:<port>
  --owner <email>        OWNER_EMAIL   The first user. Default: owner@localhost
  --help                 Print this help
`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const OPTIONS = {
	data: text,
	port: text,
	'public-url': text,
	owner: text,
	admin: flag,
	help: flag,
};

function parseCommandLine() {
	try {
		return parseArgs({ options: OPTIONS, allowPositionals: true });
	} catch (error) {
		throw new SettingError((error as Error).message);
	}
}

async function main(): Promise<void> {
	const { values, positionals } = parseCommandLine();
	if (values.help) return void process.stdout.write(HELP);
	const { env } = process;
	const config = readConfig({
		...env,
		DATA_DIR: values.data ?? env.DATA_DIR,
		PORT: values.port ?? env.PORT,
		PUBLIC_URL: values['public-url'] ?? env.PUBLIC_URL,
		OWNER_EMAIL: values.owner ?? env.OWNER_EMAIL,
	});
	if (positionals.length === 0) return await start(config);
	process.exitCode = await runCommand(config, positionals, values.admin ? 'admin' : 'user');
}

main().catch((error: Error) => {
	const isSetting = error instanceof SettingError;
	process.stderr.write(`${isSetting ? error.message : error.stack}\n`);
	process.exit(isSetting ? 2 : 1);
});
