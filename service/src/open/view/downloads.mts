import { randomUUID } from 'node:crypto';
import { transact } from '../../containers/trail.mts';
import { countAttempts } from '../../containers/attempts.mts';
import type { Door, Visit } from '../door.mts';

interface Download {
	/** Its place in the container; nothing for all files. */
	file?: number;
	/** Whether the browser asks for a range of bytes, such as to go on after a break. */
	isPart?: boolean;
}

/**
 * Leaves the event of a download before its first byte. A part leaves none within an hour after the file, or another
 * part of it: it goes on with that download.
 */
export async function recordDownload(
	door: Door,
	visit: Visit,
	{ file, isPart = false }: Download = {},
): Promise<void> {
	const { row, address: user, ip, country } = visit;
	const what = `download of ${file ?? 'all'} by ${user} from ${row.id}`;
	const wait = await countAttempts(door.vault, [{ id: randomUUID(), what, limit: 1 }]);
	if (isPart && wait > 0) return;
	const about = { ownerId: row.owner_id, container: row, user };
	await transact(door.vault, async (_queries, record) => {
		await record({ ...about, action: 'container.download', detail: { ip, country, file } });
	});
}
