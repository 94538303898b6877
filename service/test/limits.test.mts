import { randomUUID } from 'node:crypto';
import { claimKey, freeKey, LEASE_MS, updateKey } from '../src/database/idempotencyKeys.mts';
import * as limits from '../src/database/limits.mts';
import type { Database } from '../src/database/schema.mts';
import { describeService } from './support/service.mts';
import { createVault } from './support/vault.mts';

const { DAY_MS, HOUR_MS } = limits;
const MINUTE = 60_000;

describeService('what ends after a time', () => {
	let database: Database;
	let end: () => Promise<void>;
	let now = Date.now();

	beforeAll(async () => {
		const created = await createVault();
		end = created.end;
		database = created.vault.database;
	});
	afterAll(async () => await end());
	beforeEach(() => void jest.spyOn(Date, 'now').mockImplementation(() => now));
	afterEach(() => void jest.restoreAllMocks());

	describe('attempts', () => {
		const attempt = (subject: string, limit = 2, withinMs?: number) => ({
			...{ id: randomUUID(), subject, limit, withinMs },
		});
		const add = async (...attempts: Array<ReturnType<typeof attempt>>) =>
			await limits.addAttempts(database, attempts);

		it('are possible again when the first of as many is an hour old', async () => {
			expect(await add(attempt('one'))).toBe(0);
			now += 10 * MINUTE;
			expect(await add(attempt('one'))).toBe(0);
			const read = async () => await limits.readLimits(database, [attempt('one')]);
			expect(await read()).toEqual({ left: 0, wait: 50 * MINUTE });
			now += 50 * MINUTE - 1;
			expect(await add(attempt('one'))).toBe(1);
			now += 1;
			expect(await read()).toEqual({ left: 1, wait: 0 });
			expect(await add(attempt('one'))).toBe(0);
			expect(await add(attempt('one'))).toBe(10 * MINUTE);
		});

		it('are possible again after another time that is given', async () => {
			expect(await add(attempt('short', 1, MINUTE))).toBe(0);
			now += MINUTE - 1;
			expect(await add(attempt('short', 1, MINUTE))).toBe(1);
			now += 1;
			const read = await limits.readLimits(database, [attempt('short', 1, MINUTE)]);
			expect(read).toEqual({ left: 1, wait: 0 });
			expect(await add(attempt('short', 1, MINUTE))).toBe(0);
		});

		it('are all counted, or none, with the longest time to wait', async () => {
			await add(attempt('first', 1));
			now += MINUTE;
			await add(attempt('second', 1));
			const third = attempt('third', 1);
			expect(await add(third, attempt('first', 1), attempt('second', 1))).toBe(HOUR_MS);
			expect(await add(attempt('third', 1))).toBe(0);
			const among = [attempt('first', 1), attempt('many', 9)];
			expect(await limits.readLimits(database, among)).toEqual({ left: 0, wait: 59 * MINUTE });
		});

		it('lock nobody out where the clock was an hour ahead', async () => {
			now += HOUR_MS;
			await add(attempt('ahead', 1));
			now -= HOUR_MS;
			const before = await limits.readLimits(database, [attempt('ahead', 1)]);
			expect(before).toEqual({ left: 1, wait: 0 });
			expect(await add(attempt('ahead', 1))).toBe(0);
		});
	});

	describe('a code', () => {
		const code = (hash: string) => ({ container_id: 'c-1', address: 'ada@example.com', hash });

		it('is good for ten minutes, and once', async () => {
			for (const id of ['one', 'other']) {
				await limits.storeCode(database, { id, ...code(id) });
			}
			now += 10 * MINUTE - 1;
			expect(await limits.useCode(database, code('one'))).toBe('one');
			expect(await limits.useCode(database, code('one'))).toBeUndefined();
			now += 1;
			expect(await limits.useCode(database, code('other'))).toBeUndefined();
		});

		it('that is made again is another one, with all its tries', async () => {
			const make = async (hash: string) =>
				await limits.storeCode(database, { id: 'again', ...code(hash) });
			await make('first');
			for (let n = 0; n < 5; n++) await limits.useCode(database, code('wrong'));
			expect(await limits.useCode(database, code('first'))).toBeUndefined();
			await make('second');
			expect(await limits.useCode(database, code('first'))).toBeUndefined();
			expect(await limits.useCode(database, code('second'))).toBe('again');
		});
	});

	describe('an idempotency key', () => {
		const claim = (key: string) => ({ user_id: 'u-1', key, holder: randomUUID() });

		it('is free again where its run is not heard of for half a minute', async () => {
			const first = claim('lost');
			expect(await claimKey(database, first, 'a')).toBeUndefined();
			now += LEASE_MS;
			expect(await claimKey(database, claim('lost'), 'a')).toMatchObject({ holder: first.holder });
			now += 1;
			expect(await claimKey(database, claim('lost'), 'a')).toBeUndefined();
			// Whoever comes back after that has lost it.
			expect(await updateKey(database, first, { lease_until: now })).toBe(false);
		});

		it('keeps its response for a day', async () => {
			const run = claim('done');
			await claimKey(database, run, 'a');
			const change = { response: '{}', fingerprint: 'b' };
			expect(await updateKey(database, run, change)).toBe(true);
			await freeKey(database, run);
			now += DAY_MS;
			expect(await claimKey(database, claim('done'), 'a')).toMatchObject(change);
			now += 1;
			expect(await claimKey(database, claim('done'), 'a')).toBeUndefined();
		});

		it('is free at once where its run fails, and no other one', async () => {
			const run = claim('failed');
			const other = claim('other');
			await claimKey(database, run, 'a');
			await claimKey(database, other, 'a');
			await freeKey(database, run);
			expect(await claimKey(database, claim('failed'), 'a')).toBeUndefined();
			expect(await claimKey(database, claim('other'), 'a')).toMatchObject(other);
		});
	});
});
