#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { COMMANDS_HELP, runCommand } from './commands.mts';
import { readConfig, SettingError } from './config.mts';
import { start } from './start.mts';

const HELP = `Encrypts files into containers, and decides at each opening who can open them.

  service [options]                      Start the service
${COMMANDS_HELP}
Options, which are settings of the environment, too:

  --data <folder>        DATA_DIR      Where everything is stored. Default: ./data
  --port <number>        PORT          Default: 8443
  --public-url <url>     PUBLIC_URL    Where recipients reach the service. Default: https://localhost:<port>
  --owner <email>        OWNER_EMAIL   The first user. Default: owner@localhost
  --help                 Print this help

All settings: service/README.md
`;

const FLAGS = {
	data: 'DATA_DIR',
	port: 'PORT',
	'public-url': 'PUBLIC_URL',
	owner: 'OWNER_EMAIL',
} as const;

async function main(): Promise<void> {
	const text = { type: 'string' } as const;
	const flag = { type: 'boolean' } as const;
	const { values, positionals } = parseArguments({
		options: { data: text, port: text, 'public-url': text, owner: text, admin: flag, help: flag },
		allowPositionals: true,
	});
	if (values.help) return void process.stdout.write(HELP);
	const flags = Object.entries(FLAGS).map(([name, setting]) => [
		setting,
		values[name as keyof typeof FLAGS] ?? process.env[setting],
	]);
	const config = readConfig({ ...process.env, ...Object.fromEntries(flags) });
	if (positionals.length === 0) await start(config);
	else process.exitCode = await runCommand(config, positionals, { isAdmin: values.admin ?? false });
}

const parseArguments: typeof parseArgs = (options) => {
	try {
		return parseArgs(options);
	} catch (error) {
		throw new SettingError((error as Error).message);
	}
};

main().catch((error: unknown) => {
	const isSetting = error instanceof SettingError;
	process.stderr.write(
		`${isSetting ? error.message : ((error as Error).stack ?? String(error))}\n`,
	);
	process.exit(isSetting ? 2 : 1);
});
