import { inspectContainers } from '../containers/inspect.mts';
import { inspectTrails } from '../containers/inspectTrails.mts';
import { findLeftovers } from '../containers/leftovers.mts';
import { inspectIndex } from '../containers/recipientIndex.mts';
import { inspectRequests } from '../requests/requestUpkeep.mts';
import { describeCount, withVault, type Command, type VaultInvocation } from './command.mts';
import { createProgress } from './progress.mts';

export const checkCommands: Command[] = [
	{
		usage: 'check',
		help: 'Check containers, index, requests, events and storage (--read: read every file)',
		flags: ['read'],
		run: withVault(check),
	},
];

const SIZES_ONLY =
	'Only the sizes of files were compared. To find a changed byte, too, run "check --read".';

async function check({ vault, flags }: VaultInvocation) {
	const isRead = flags.has('read');
	const { count, problems, withoutHash } = await inspectContainers(
		vault,
		isRead ? createProgress('Reading') : undefined,
	);
	const index = await inspectIndex(vault);
	for (const id of index.wrong) {
		problems.push(`The index of recipients wasn't as the rules of container ${id}. It is now.`);
	}
	const trails = await inspectTrails(vault);
	problems.push(...trails.problems, ...(await inspectRequests(vault)));
	for await (const name of findLeftovers(vault)) {
		problems.push(`The file ${name} belongs to no container. The next start removes it.`);
	}
	const found = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
	const state = problems.length > 0 ? found : 'everything is in order';
	const lines = [`${describeCount(count)}: ${state}.`];
	lines.push(describeEvents(trails));
	if (index.added > 0) lines.push(describeLegacyRules(index.added));
	if (!isRead && count > 0) lines.push(SIZES_ONLY);
	if (isRead && withoutHash.length > 0) lines.push(describeLegacySeals(withoutHash));
	return { problems, lines };
}

function describeEvents({ proven, unproven }: { proven: number; unproven: number }): string {
	const line = `Events that are as they were written: ${proven}.`;
	if (unproven === 0) return line;
	return `${line} From before the service proved events, so that changes don't show: ${unproven}.`;
}

const describeLegacyRules = (count: number) =>
	`An earlier version wrote the rules of ${describeCount(count)}. The index of recipients has them now.`;

function describeLegacySeals(ids: string[]): string {
	const containers = ids.map((id) => `\n  ${id}`).join('');
	return `An earlier version sealed these containers without the hash of their file. Only its size could be compared, until a rule changes:${containers}`;
}
