#!/usr/bin/env node
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { readConfig } from './config.mts';
import { SettingError } from './errors.mts';
import { COMMAND_FLAGS, COMMAND_OPTIONS, COMMANDS_HELP, runCommand } from './operate/commands.mts';
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
	const withValue = [...Object.keys(SETTING_OPTIONS), ...COMMAND_OPTIONS];
	for (const option of withValue) options[option] = { type: 'string' };
	const { values, positionals: words } = parseArgs({ options, allowPositionals: true });
	if (values.help) {
		process.stdout.write(HELP);
		return;
	}
	const environment = { ...process.env };
	const flags = new Set<string>();
	const commandOptions = new Map<string, string>();
	for (const [option, value] of Object.entries(values)) {
		if (typeof value !== 'string') flags.add(option);
		else if (option in SETTING_OPTIONS) environment[SETTING_OPTIONS[option]] = value;
		else commandOptions.set(option, value);
	}
	const config = readConfig(environment);
	if (words.length === 0) await start(config);
	else process.exitCode = await runCommand(config, { words, flags, options: commandOptions });
}

main().catch((error: NodeJS.ErrnoException) => {
	const isMistake = error instanceof SettingError || error.code?.startsWith('ERR_PARSE_ARGS');
	process.stderr.write(`${isMistake ? error.message : error.stack}\n`);
	process.exit(isMistake ? 2 : 1);
});
