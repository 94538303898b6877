import { randomUUID } from 'node:crypto';
import type { Vault } from '../src/containers/vault.mts';
import { recordEndedViews, rememberShown } from '../src/containers/views.mts';
import { readEventsAfter } from '../src/database/events.mts';
import { describeService } from './support/service.mts';
import { createVault } from './support/vault.mts';

const ADA = 'ada@example.com';

describeService('what a session was shown', () => {
	let vault: Vault;
	let end: () => Promise<void>;

	beforeAll(async () => {
		({ vault, end } = await createVault());
	});
	afterAll(async () => await end());

	const show = (owner_id: string, page: number, session_end: number, file = 0) => ({
		...{ session_id: 'one', session_end, owner_id, file, page, form: 'picture' as const },
		...{ container_id: 'gone', container_name: 'Plans', user: ADA, ip: '192.0.2.1', country: null },
	});

	it('is recorded of a container that was deleted before, with its name and for its owner', async () => {
		const owner = randomUUID();
		await rememberShown(
			vault,
			[10, 9].map((page) => show(owner, page, Date.now() - 1)),
		);

		await recordEndedViews(vault);
		await recordEndedViews(vault);

		const events = await readEventsAfter(vault.database, owner, 0);
		const seen = { file: 0, ip: '192.0.2.1', pages: [9, 10], texts: [] };
		const about = { action: 'container.view', container_id: 'gone', container_name: 'Plans' };
		expect(events).toMatchObject([{ ...about, user: ADA }]);
		expect(JSON.parse(events[0].detail)).toEqual(seen);
	});

	it('is recorded when the session is over, and not before', async () => {
		const owner = randomUUID();
		await rememberShown(vault, [show(owner, 1, Date.now() + 3_600_000)]);
		await recordEndedViews(vault);
		expect(await readEventsAfter(vault.database, owner, 0)).toEqual([]);
	});
});
