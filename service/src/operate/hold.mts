import { transact } from '../containers/trail.mts';
import * as rows from '../database/queries.mts';
import { SettingError } from '../errors.mts';
import { withVault, type Command, type VaultInvocation } from './command.mts';

export const holdCommands: Command[] = [
	{
		usage: 'hold <id>',
		help: 'Keep a container from being deleted',
		run: withVault(async (invocation) => await setHold(invocation, { on: true })),
	},
	{
		usage: 'unhold <id>',
		help: 'Let a container be deleted again',
		run: withVault(async (invocation) => await setHold(invocation, { on: false })),
	},
];

async function setHold({ vault, args: [name] }: VaultInvocation, { on }: { on: boolean }) {
	const id = name.toLowerCase();
	await transact(vault, async (queries, record) => {
		const row = await rows.findContainerForUpdate(queries, id);
		if (row === undefined) throw new SettingError(`There is no container ${id}.`);
		if ((row.held_date !== null) === on) {
			throw new SettingError(`Container ${id} is ${on ? 'already' : 'not'} on hold.`);
		}
		const held_date = on ? new Date().toISOString() : null;
		await rows.updateContainer(queries, id, { held_date });
		const about = { ownerId: row.owner_id, container: row, user: '' };
		await record({ ...about, action: 'container.hold', detail: { on } });
	});
	const state = on ? 'is on hold: nobody can delete it' : 'is no longer on hold';
	return { lines: [`Container ${id} ${state}.`] };
}
