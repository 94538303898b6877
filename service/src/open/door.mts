import { findRefusal, type Refusal } from '../containers/rules.mts';
import { openSeal } from '../containers/seal.mts';
import type { Vault } from '../containers/vault.mts';
import * as rows from '../database/queries.mts';
import type { Mailer } from '../mail/mailer.mts';
import { missing, pageError } from './pageErrors.mts';
import { passwordPage, refusalPage } from './pages.mts';

export interface Door {
	vault: Vault;
	mailer: Mailer;
	findCountry: (ip: string) => string | undefined;
	publicUrl: string;
	style: string;
	calendar: Intl.DateTimeFormat;
	codesPerAddress: number;
	codesPerIp: number;
}

/** What a recipient's browser keeps between requests. It is good for one container. */
export interface Session {
	/** Proven by a code, in its normal form. */
	address: string;
	/** Whether the container was opened; otherwise its password is still missing. */
	isOpen: boolean;
	/** What the password gave, in Base64. It opens nothing once the container is deleted. */
	passwordKey?: string;
}

export type Visit = Awaited<ReturnType<typeof arrive>>;

export async function findWithOwner({ vault: { database, keys } }: Door, id: string) {
	const row = await rows.findContainer(database, id);
	const owner = row && (await rows.findUser(database, 'id', row.owner_id));
	return row && owner && { row, owner, seal: openSeal(keys, row) };
}

/** Whoever comes is checked by all rules but the password and the number of openings. */
export async function arrive(door: Door, id: string, ip: string, session: Session) {
	const found = await findWithOwner(door, id);
	if (found === undefined) throw missing();
	const country = door.findCountry(ip);
	const today = door.calendar.format(new Date());
	const visit = { ...found, ...session, path: `/c/${id}`, ip, country, today };
	const refusal = findRefusal(visit.seal.rules, visit);
	if (refusal) throw await refuse(door, visit, refusal);
	return visit;
}

/** Records a refusal. @returns the page that says why, to be thrown */
export async function refuse(door: Door, visit: Visit, { reason, sentence }: Refusal) {
	const { row, owner, path, address: user, ip, country } = visit;
	const detail = { ip, country, reason };
	const event = { action: 'container.refuse', container: row, user, detail } as const;
	await door.vault.database.transaction().execute((queries) => rows.addEvent(queries, event));
	if (reason === 'password') return pageError(403, passwordPage({ path, problem: sentence }));
	return pageError(403, refusalPage({ sentence, owner: owner.email }));
}

/** Checks all rules but the password, and counts the opening in the transaction that allows it. */
export async function openContainer(door: Door, visit: Visit): Promise<void> {
	const { owner, address: user, ip, country } = visit;
	const refusal = await door.vault.database.transaction().execute(async (queries) => {
		// The write comes first: from here on, others who open this container wait.
		const row = await rows.lockContainer(queries, visit.row.id);
		if (row === undefined) throw missing();
		const { rules } = openSeal(door.vault.keys, row);
		const refused = findRefusal(rules, { ...visit, opensUsed: row.opens_used });
		if (refused) return refused;
		const count = user === owner.address ? 0 : 1;
		await rows.updateContainer(queries, row.id, { opens_used: row.opens_used + count });
		const detail = { ip, country };
		await rows.addEvent(queries, { action: 'container.open', container: row, user, detail });
		return undefined;
	});
	if (refusal) throw await refuse(door, visit, refusal);
}
