import { randomUUID } from 'node:crypto';
import { transact } from '../../containers/trail.mts';
import { countAttempts, readAttempts } from '../../containers/attempts.mts';
import type { Door } from '../door.mts';
import type { Link } from '../links.mts';
import type { Parties } from './parties.mts';

/** An hour. Whoever makes up addresses can't fill a trail with them. */
const EVENTS_PER_LINK = 20;

interface RefusedCode {
	link: Link;
	parties: Parties;
	/** Not proven. */
	address: string;
	ip: string;
}

/** Tells the owner that somebody asked for a code with an address that no rule names: once an hour for each. */
export async function recordRefusedCode(door: Door, refused: RefusedCode): Promise<void> {
	const { link, parties, address, ip } = refused;
	const { id } = link;
	const ofLink = {
		id: randomUUID(),
		what: `refused code for ${id}`,
		limit: EVENTS_PER_LINK,
	};
	const ofAddress = { id: randomUUID(), what: `refused code for ${address} and ${id}`, limit: 1 };
	if ((await countAttempts(door.vault, [ofAddress, ofLink])) > 0) return;
	const { left } = await readAttempts(door.vault, [ofLink]);
	const more = left === 0 ? true : undefined;
	const detail = { ip, country: door.findCountry(ip), more };
	await transact(door.vault, async (_queries, record) => {
		const about = { ...parties.about, ownerId: parties.owner.id };
		await record({ ...about, action: 'code.refuse', user: address, detail });
	});
}
