#!/usr/bin/env node
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { readConfig } from './config.mts';
import { SettingError } from './errors.mts';
import { COMMAND_FLAGS, COMMANDS_HELP, runCommand } from './operate/commands.mts';
import { start } from './start.mts';

const HELP = `Encrypts files into containers, and decides at each opening who can open them.

  service                            Start the service
${COMMANDS_HELP}
Options, which are also settings of the environment (service/README.md lists all settings):

  --data <folder>      DATA_DIR      Where everything is stored. Default: ./data
  --port <number>      PORT          Default: 8443
  --public-url <url>   PUBLIC_URL    Where recipients reach it. Default: https://localhost:<port>
  --owner <email>      OWNER_EMAIL   The first user. Default: owner@localhost
`;

const SETTING_OPTIONS: Record<string, string> = {
	data: 'DATA_DIR',
	port: 'PORT',
	'public-url': 'PUBLIC_URL',
	owner: 'OWNER_EMAIL',
};

async function main(): Promise<void> {
	const options: ParseArgsConfig['options'] = { help: { type: 'boolean' } };
	for (const flag of COMMAND_FLAGS) options[flag] = { type: 'boolean' };
	for (const option of Object.keys(SETTING_OPTIONS)) options[option] = { type: 'string' };
	const { values, positionals } = parseArgs({ options, allowPositionals: true });
	if (values.help) {
		process.stdout.write(HELP);
		return;
	}
	const environment = { ...process.env };
	const flags = new Set<string>();
	for (const [option, value] of Object.entries(values)) {
		if (typeof value === 'string') environment[SETTING_OPTIONS[option]] = value;
		else flags.add(option);
	}
	const config = readConfig(environment);
	if (positionals.length === 0) await start(config);
	else process.exitCode = await runCommand(config, positionals, flags);
}

main().catch((error: NodeJS.ErrnoException) => {
	const isMistake = error instanceof SettingError || error.code?.startsWith('ERR_PARSE_ARGS');
	process.stderr.write(`${isMistake ? error.message : error.stack}\n`);
	process.exit(isMistake ? 2 : 1);
});
