import { randomUUID } from 'node:crypto';
import { transact } from '../containers/trail.mts';
import type { ContainerRow } from '../database/schema.mts';
import { countAttempts, readAttempts } from '../containers/attempts.mts';
import type { Door } from './door.mts';

/** An hour. Whoever makes up addresses can't fill a trail with them. */
const EVENTS_PER_CONTAINER = 20;

interface RefusedCode {
	container: ContainerRow;
	/** Not proven. */
	address: string;
	ip: string;
}

/** Tells the owner that somebody asked for a code with an address that no rule names: once an hour for each. */
export async function recordRefusedCode(door: Door, refused: RefusedCode): Promise<void> {
	const { container, address, ip } = refused;
	const { id, owner_id: ownerId } = container;
	const ofContainer = {
		id: randomUUID(),
		what: `refused code for ${id}`,
		limit: EVENTS_PER_CONTAINER,
	};
	const ofAddress = { id: randomUUID(), what: `refused code for ${address} and ${id}`, limit: 1 };
	if ((await countAttempts(door.vault, [ofAddress, ofContainer])) > 0) return;
	const { left } = await readAttempts(door.vault, [ofContainer]);
	const more = left === 0 ? true : undefined;
	const detail = { ip, country: door.findCountry(ip), more };
	await transact(door.vault, async (_queries, record) => {
		await record({ action: 'code.refuse', ownerId, container, user: address, detail });
	});
}
