import { inspectContainers } from '../containers/vault.mts';
import { findLeftovers } from '../openVault.mts';
import { describeCount, withVault, type Command, type VaultInvocation } from './command.mts';

export const checkCommands: Command[] = [
	{ usage: 'check', help: 'Check every container, and the storage', run: withVault(check) },
];

async function check({ vault }: VaultInvocation) {
	const { count, problems } = await inspectContainers(vault);
	for await (const name of findLeftovers(vault)) {
		problems.push(`The file ${name} belongs to no container. The next start removes it.`);
	}
	const found = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
	const state = problems.length > 0 ? found : 'everything is in order';
	return { problems, lines: [`${describeCount(count)}: ${state}.`] };
}
