import { randomUUID } from 'node:crypto';
import { readEventsAfter } from '../../src/database/events.mts';
import { recordRefusal, type Door, type Visit } from '../../src/open/door.mts';
import { describeService } from '../support/service.mts';
import { createVault } from '../support/vault.mts';

describeService('a refusal', () => {
	let created: Awaited<ReturnType<typeof createVault>>;

	beforeAll(async () => {
		created = await createVault();
	});
	afterAll(async () => await created.end());

	it('by a wrong password is an event each time, by a rule once a minute', async () => {
		const row = { id: randomUUID(), owner_id: randomUUID(), name: 'Plans' };
		const visit = { row, address: 'ada@example.com', ip: '192.0.2.1' } as Visit;
		const door = { vault: created.vault } as Door;
		for (const reason of ['password', 'time', 'password', 'time']) {
			await recordRefusal(door, visit, reason);
		}
		const events = await readEventsAfter(created.vault.database, row.owner_id, 0);
		const reasons = events.map(({ detail }) => (JSON.parse(detail) as { reason: string }).reason);
		expect(reasons).toEqual(['password', 'time', 'password']);
	});
});
