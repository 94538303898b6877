import { transact } from '../../containers/trail.mts';
import { countAttemptsWith, readAttempts } from '../../containers/attempts.mts';
import type { AddressProof } from './addressProofs.mts';
import type { Door, Visit } from '../door.mts';

/** An hour, for a person and a container. */
const MAX_REQUESTS = 3;
const MAX_NOTE_LENGTH = 200;
const LINE_ENDS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** They make a text look as if it said something else. */
const REVERSALS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A note is one line, whatever somebody entered. */
export const toNote = (text: string) => text.replace(LINE_ENDS, ' ').replace(REVERSALS, '').trim();

export const isTooLong = (note: string) => [...note].length > MAX_NOTE_LENGTH;

interface AccessRequest {
	visit: Visit;
	formId: AddressProof['formId'];
	reason: string;
	/** A text by a stranger. */
	note: string;
}

/** Tells the owner that somebody asks for access, once for a form. @returns how long to wait where there were too many */
export async function requestAccess(door: Door, request: AccessRequest): Promise<number> {
	const { visit, formId, reason, note } = request;
	const { row: container, address: user, ip, country } = visit;
	const once = { id: formId, what: `form ${formId}`, limit: 1 };
	const hourly = {
		id: `${formId} hourly`,
		what: `access request of ${user} for ${container.id}`,
		limit: MAX_REQUESTS,
	};
	const wait = await transact(door.vault, async (queries, record) => {
		const milliseconds = await countAttemptsWith(queries, door.vault, [once, hourly]);
		if (milliseconds > 0) return milliseconds;
		const about = { ownerId: container.owner_id, container, user };
		await record({ ...about, action: 'access.request', detail: { ip, country, reason, note } });
		return 0;
	});
	if (wait === 0) return 0;
	const { left } = await readAttempts(door.vault, [once]);
	return left > 0 ? wait : 0;
}
