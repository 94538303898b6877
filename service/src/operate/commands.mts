import type { Config } from '../config.mts';
import { SettingError } from '../errors.mts';
import { backupCommands } from './backup.mts';
import { checkCommands } from './check.mts';
import { doctorCommands } from './doctor.mts';
import { mailCommands } from './testMail.mts';
import type { Command, Invocation } from './command.mts';
import { holdCommands } from './hold.mts';
import { keyCommands } from './keys.mts';
import { masterKeyCommands } from './masterKey.mts';
import { userCommands } from './users.mts';

const COMMANDS: Command[] = [
	...userCommands,
	...keyCommands,
	...masterKeyCommands,
	...holdCommands,
	...checkCommands,
	...backupCommands,
	...mailCommands,
	...doctorCommands,
];

export const COMMANDS_HELP = COMMANDS.map(
	({ usage, help }) => `  service ${usage.padEnd(26)} ${help}\n`,
).join('');

export const COMMAND_FLAGS = COMMANDS.flatMap(({ flags = [] }) => flags);
export const COMMAND_OPTIONS = COMMANDS.flatMap(({ options = [] }) => options);

type CommandLine = { words: string[] } & Pick<Invocation, 'flags' | 'options'>;

/** Runs the command that these words are, and prints what it says. @returns the exit code */
export async function runCommand(config: Config, { words, flags, options }: CommandLine) {
	const command = COMMANDS.find(({ usage }) => matchWords(usage, words) !== undefined);
	if (!command) {
		throw new SettingError(`There is no command "${words.join(' ')}". See service --help.`);
	}
	const { usage, run } = command;
	const known = [...(command.flags ?? []), ...(command.options ?? [])];
	for (const option of [...flags, ...options.keys()]) {
		if (known.includes(option)) continue;
		throw new SettingError(`The command "${usage}" has no option --${option}.`);
	}
	const args = matchWords(usage, words) ?? [];
	const { problems = [], lines } = await run({ config, args, flags, options });
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
