import { randomUUID } from 'node:crypto';
import type { Site } from '../brand/site.mts';
import { countAttemptsWith, readAttempts, readAttemptsWith } from '../containers/attempts.mts';
import { findRefusal, isOwner, type Refusal } from '../containers/rules.mts';
import { openSeal, type OpenedSeal } from '../containers/seal.mts';
import { transact } from '../containers/trail.mts';
import type { Vault } from '../containers/vault.mts';
import * as rows from '../database/queries.mts';
import type { ContainerRow, UserRow } from '../database/schema.mts';
import type { Mailer } from '../mail/mailer.mts';
import type { Viewing } from '../viewing/viewing.mts';
import { toFilesPath } from './links.mts';
import { gone } from './pageErrors.mts';

const MINUTE_MS = 60_000;

export interface Door {
	vault: Vault;
	mailer: Mailer;
	findCountry: (ip: string) => string | undefined;
	site: Site;
	calendar: Intl.DateTimeFormat;
	codesPerAddress: number;
	codesPerIp: number;
	/** How long a proven address needs no other code. */
	rememberHours: number;
	viewing: Viewing;
	isWatermarkOff: boolean;
	isPageTextOff: boolean;
	isOfficeShown: boolean;
}

/** What a recipient's browser keeps between requests. It is good for one container. */
export interface Session {
	/** What was shown is recorded under it. */
	sessionId: string;
	/** In milliseconds. */
	sessionEnd: number;
	/** Proven by a code, in its normal form. */
	address: string;
	/** Whether the container was opened; otherwise its password, or a click, is still missing. */
	isOpen: boolean;
	/** Whether it was opened as the owner. */
	isOwner?: boolean;
	/** What the password gave, in Base64. It opens nothing once the container is deleted. */
	passwordKey?: string;
}

interface ContainerWithOwner {
	row: ContainerRow;
	owner: UserRow;
	seal: OpenedSeal;
}

/** Somebody at a container: who they are, where they come from, and what the rules are asked about. */
export interface Visit extends Session, ContainerWithOwner {
	/** Of the container. */
	path: string;
	ip: string;
	country?: string;
	/** Such as 2026-11-28, where the service is. */
	today: string;
	/** Now, whatever the session says. */
	isOwner: boolean;
}

export async function findWithOwner(
	{ vault: { database, keys } }: Door,
	id: string,
): Promise<ContainerWithOwner | undefined> {
	const row = await rows.findContainer(database, id);
	const owner = row && (await rows.findUser(database, 'id', row.owner_id));
	return row && owner && { row, owner, seal: openSeal(keys, row) };
}

interface Arrival {
	/** Of the container. */
	id: string;
	ip: string;
	session: Session;
}

/** Who comes to which container, before the rules are asked. */
export async function loadVisit(door: Door, { id, ip, session }: Arrival): Promise<Visit> {
	const found = await findWithOwner(door, id);
	if (found === undefined) throw gone();
	const country = door.findCountry(ip);
	const today = door.calendar.format(new Date());
	const isOwnerNow = isOwner(found.owner, session.address);
	// What was opened as the owner is not open for a recipient, who is counted.
	const isOpen = session.isOpen && (isOwnerNow || !session.isOwner);
	const who = { ...session, isOwner: isOwnerNow, isOpen };
	return { ...found, ...who, path: toFilesPath(id), ip, country, today };
}

export const needsPassword = ({ isOpen, seal }: Visit) => !isOpen && !('identity' in seal.secret);

/** @param checksOpens whether the visitor is about to open the container, which is counted */
export function findRefusalOf(visit: Visit, { checksOpens }: { checksOpens: boolean }) {
	const opensUsed = checksOpens ? visit.row.opens_used : 0;
	return findRefusal(visit.seal.rules, { ...visit, opensUsed });
}

/** Ends a request of somebody whom a rule refuses, with a page that says why. */
export class RefusedError extends Error {
	constructor(
		readonly visit: Visit,
		readonly refusal: Refusal,
	) {
		super('A rule refuses');
	}
}

/**
 * Whoever comes is checked by all rules but the password, and the number of openings where it comes after the password.
 *
 * @throws RefusedError
 */
export async function authorize(door: Door, arrival: Arrival): Promise<Visit> {
	const visit = await loadVisit(door, arrival);
	const isOpening = !visit.isOpen && !needsPassword(visit);
	const checksOpens = isOpening && !wasOpened(await readAttempts(door.vault, [toOpening(visit)]));
	const refusal = findRefusalOf(visit, { checksOpens });
	if (refusal) throw await refuse(door, visit, refusal);
	return visit;
}

/** Records a refusal. @returns the error to be thrown */
async function refuse(door: Door, visit: Visit, refusal: Refusal): Promise<RefusedError> {
	await recordRefusal(door, visit, refusal.reason);
	return new RefusedError(visit, refusal);
}

/**
 * Adds the event of a refusal: one a minute for a person, a container and a reason, so that somebody who clicks on and on
 * starts no workflow each time. Wrong passwords are few: they have a limit of their own.
 */
export async function recordRefusal(door: Door, visit: Visit, reason: string): Promise<void> {
	const { row, address: user, ip, country } = visit;
	const about = { ownerId: row.owner_id, container: row, user };
	const what = `refusal (${reason}) of ${user} for ${row.id}`;
	const minutely = { id: randomUUID(), what, limit: 1, withinMs: MINUTE_MS };
	await transact(door.vault, async (queries, record) => {
		const isCounted = reason !== 'password';
		if (isCounted && (await countAttemptsWith(queries, door.vault, [minutely])) > 0) return;
		await record({ ...about, action: 'container.refuse', detail: { ip, country, reason } });
	});
}

/** A session opens a container once: a second click, whose response is the one that a browser shows, is no other opening. */
const toOpening = ({ row, sessionId, isOwner }: Visit) => ({
	id: randomUUID(),
	what: `opening of ${row.id} in session ${sessionId} as ${isOwner ? 'owner' : 'recipient'}`,
	limit: 1,
});
const wasOpened = ({ left }: { left: number }) => left === 0;

/** Checks all rules but the password, and counts the opening in the transaction that allows it. */
export async function openContainer(door: Door, visit: Visit): Promise<void> {
	const { address: user, ip, country } = visit;
	const refusal = await transact(door.vault, async (queries, record) => {
		// The write comes first: from here on, others who open this container wait.
		const row = await rows.findContainerForUpdate(queries, visit.row.id);
		if (row === undefined) throw gone();
		// Both can have changed since the visitor arrived.
		const owner = await rows.findUser(queries, 'id', row.owner_id);
		if (owner === undefined) throw gone();
		const { rules } = openSeal(door.vault.keys, row);
		const isOwnerNow = isOwner(owner, user);
		const opening = toOpening({ ...visit, isOwner: isOwnerNow });
		const isAgain = wasOpened(await readAttemptsWith(queries, door.vault, [opening]));
		const opensUsed = isAgain ? 0 : row.opens_used;
		const refused = findRefusal(rules, { ...visit, owner, opensUsed });
		if (refused || isAgain) return refused;
		await countAttemptsWith(queries, door.vault, [opening]);
		const count = isOwnerNow ? 0 : 1;
		await rows.updateContainer(queries, row.id, { opens_used: row.opens_used + count });
		const about = { ownerId: row.owner_id, container: row, user };
		await record({ ...about, action: 'container.open', detail: { ip, country } });
		return undefined;
	});
	if (refusal) throw await refuse(door, visit, refusal);
}
