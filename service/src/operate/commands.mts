import type { Config } from '../config.mts';
import { SettingError } from '../errors.mts';
import { backupCommands } from './backup.mts';
import { checkCommands } from './check.mts';
import { doctorCommands } from './doctor.mts';
import { mailCommands } from './testMail.mts';
import type { Command } from './command.mts';
import { keyCommands } from './keys.mts';
import { masterKeyCommands } from './masterKey.mts';
import { userCommands } from './users.mts';

const COMMANDS: Command[] = [
	...userCommands,
	...keyCommands,
	...masterKeyCommands,
	...checkCommands,
	...backupCommands,
	...mailCommands,
	...doctorCommands,
];

export const COMMANDS_HELP = COMMANDS.map(
	({ usage, help }) => `  service ${usage.padEnd(26)} ${help}\n`,
).join('');

export const COMMAND_FLAGS = COMMANDS.flatMap(({ flags = [] }) => flags);

/** Runs the command that these words are, and prints what it says. @returns the exit code */
export async function runCommand(config: Config, words: string[], flags: ReadonlySet<string>) {
	const command = COMMANDS.find(({ usage }) => matchWords(usage, words) !== undefined);
	if (!command) {
		throw new SettingError(`There is no command "${words.join(' ')}". See service --help.`);
	}
	const { usage, flags: known = [], run } = command;
	for (const flag of flags) {
		if (known.includes(flag)) continue;
		throw new SettingError(`The command "${usage}" has no option --${flag}.`);
	}
	const args = matchWords(usage, words) ?? [];
	const { problems = [], lines } = await run({ config, args, flags });
	process.stdout.write([...problems, ...lines].map((line) => `${line}\n`).join(''));
	return problems.length > 0 ? 1 : 0;
}

/** @returns what stands for the words of the usage in angle brackets; nothing where other words differ */
function matchWords(usage: string, words: string[]): string[] | undefined {
	const expected = usage.split(' ');
	const isArgument = (index: number) => expected[index].startsWith('<');
	const isSame = (word: string, index: number) => isArgument(index) || word === words[index];
	if (words.length !== expected.length || !expected.every(isSame)) return undefined;
	return words.filter((_, index) => isArgument(index));
}
