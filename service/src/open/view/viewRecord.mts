import { rememberShown } from '../../containers/views.mts';
import type { Door, Visit } from '../door.mts';
import type { VisibleFile } from './visibleFiles.mts';

interface ShownPages {
	file: VisibleFile;
	form: 'picture' | 'text';
	/** Of the pages, counted from 1. A text is one page. */
	numbers: number[];
}

/** Remembers what is shown before it is sent. It becomes an event when the session is over. */
export async function rememberPages(door: Door, visit: Visit, { file, form, numbers }: ShownPages) {
	const { row, sessionId, sessionEnd, address, ip, country = null } = visit;
	const shown = numbers.map((page) => ({
		session_id: sessionId,
		session_end: sessionEnd,
		container_id: row.id,
		container_name: row.name,
		owner_id: row.owner_id,
		user: address,
		ip,
		country,
		file: file.index,
		page,
		form,
	}));
	await rememberShown(door.vault, shown);
}
