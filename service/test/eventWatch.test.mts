import { transact } from '../src/containers/trail.mts';
import { EventWatch } from '../src/database/eventWatch.mts';
import { createUser } from '../src/database/queries.mts';
import { usesServers } from './support/service.mts';
import { createVault } from './support/vault.mts';

// PostgreSQL announces what was committed itself.
(usesServers ? it.skip : it)(
	'whoever waits hears of an event when it is committed, not when the database is next asked',
	async () => {
		const { vault, commits, end } = await createVault();
		const email = 'olive@example.com';
		const owner = await createUser(vault.database, { email, address: email, role: 'user' });
		const watch = new EventWatch(vault.database, commits);
		const hear = async () => {
			await new Promise<void>((resolve) => {
				const leave = watch.subscribe(owner.id, () => {
					leave();
					resolve();
				});
			});
		};
		jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
		await hear();

		const heard = hear();
		const event = { action: 'user.create', ownerId: owner.id, user: '', detail: {} } as const;
		await transact(vault, async (_queries, record) => await record(event));
		await expect(heard).resolves.toBeUndefined();

		jest.useRealTimers();
		await end();
	},
);
