import type { Selectable } from 'kysely';
import { findContainer } from '../database/queries.mts';
import type { Queries, Tables } from '../database/schema.mts';
import { transact, type NewEvent } from './trail.mts';
import type { Vault } from './vault.mts';

type ShownPage = Selectable<Tables['shown_pages']>;

/** Remembers what a session is shown, before it is sent. It becomes an event when the session is over. */
export async function rememberShown({ database }: Vault, shown: ShownPage[]): Promise<void> {
	if (shown.length === 0) return;
	const insert = database.insertInto('shown_pages').values(shown);
	await insert.onConflict((conflict) => conflict.doNothing()).execute();
}

/** Records what was shown in sessions that are over, also in those of a process that crashed. */
export async function recordEndedViews(vault: Vault): Promise<void> {
	const sessions = vault.database.selectFrom('shown_pages').select('session_id as sessionId');
	const ended = sessions.where('session_end', '<', Date.now()).distinct();
	for (const session of await ended.execute()) await recordViews(vault, session);
}

/** Records what a session was shown: one event for each file. */
export async function recordViews(
	vault: Vault,
	{ sessionId }: { sessionId: string },
): Promise<void> {
	await transact(vault, async (queries, record) => {
		// What another process records meanwhile isn't there any more.
		const deletion = queries.deleteFrom('shown_pages').where('session_id', '=', sessionId);
		const shown = await deletion.returningAll().execute();
		for (const file of new Set(shown.map((page) => page.file))) {
			const ofFile = shown.filter((page) => page.file === file);
			await record(await toViewEvent(queries, ofFile));
		}
	});
}

async function toViewEvent(queries: Queries, shown: ShownPage[]): Promise<NewEvent> {
	const [{ file, container_id: id, owner_id, container_name: name, user, ip, country }] = shown;
	// It may have been deleted since.
	const container = (await findContainer(queries, id)) ?? { id, owner_id, name };
	const list = (form: ShownPage['form']) =>
		shown
			.filter((page) => page.form === form)
			.map(({ page }) => page)
			.sort((one, other) => one - other);
	const pages = list('picture');
	const texts = list('text');
	const detail = { ip, country: country ?? undefined, file, pages, texts };
	return { action: 'container.view', ownerId: container.owner_id, container, user, detail };
}
