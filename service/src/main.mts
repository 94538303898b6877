#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { COMMANDS_HELP, runCommand } from './commands.mts';
import { readConfig, SettingError } from './config.mts';
import { start } from './start.mts';

const HELP = `Encrypts files into containers, and decides at each opening who can open them.

  service                        Start the service
${COMMANDS_HELP}
Options, which are also settings of the environment (service/README.md lists all settings):

  --data <folder>      DATA_DIR      Where everything is stored. Default: ./data
  --port <number>      PORT          Default: 8443
  --public-url <url>   PUBLIC_URL    Where recipients reach it. Default: https://localhost:<port>
  --owner <email>      OWNER_EMAIL   The first user. Default: owner@localhost
`;

const FLAGS = { data: 'DATA_DIR', port: 'PORT', 'public-url': 'PUBLIC_URL', owner: 'OWNER_EMAIL' };

function parseCommandLine() {
	const flag = { type: 'boolean' } as const;
	const names = Object.keys(FLAGS) as Array<keyof typeof FLAGS>;
	const texts = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
	try {
		return parseArgs({ options: { admin: flag, help: flag, ...texts }, allowPositionals: true });
	} catch (error) {
		throw new SettingError((error as Error).message);
	}
}

async function main(): Promise<void> {
	const { values, positionals } = parseCommandLine();
	if (values.help) return void process.stdout.write(HELP);
	const flags = Object.entries(FLAGS).map(([flag, setting]) => {
		return [setting, values[flag as keyof typeof values] ?? process.env[setting]];
	});
	const config = readConfig({ ...process.env, ...Object.fromEntries(flags) });
	if (positionals.length === 0) return await start(config);
	process.exitCode = await runCommand(config, positionals, values.admin ? 'admin' : 'user');
}

main().catch((error: Error) => {
	const isSetting = error instanceof SettingError;
	process.stderr.write(`${isSetting ? error.message : error.stack}\n`);
	process.exit(isSetting ? 2 : 1);
});
