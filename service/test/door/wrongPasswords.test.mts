import { randomUUID } from 'node:crypto';
import { decryptFile, type OpenedContainer } from '../../src/containers/decryptFile.mts';
import type { Vault } from '../../src/containers/vault.mts';
import { readEventsAfter } from '../../src/database/events.mts';
import { recordRefusal, type Door, type Visit } from '../../src/open/door.mts';
import { verifyPassword } from '../../src/open/signIn/passwords.mts';
import { describeService, times } from '../support/service.mts';
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

describeService('100 wrong passwords of people whom only a wildcard names', () => {
	let created: Awaited<ReturnType<typeof createVault>>;

	beforeAll(async () => {
		created = await createVault();
	});
	afterAll(async () => await created.end());

	it.each([
		['lock out all others like them', 'last@example.com', false, 429],
		['lock out nobody whom the rules name', 'ben@example.com', false, 403],
		['do not lock out the owner', 'olive@example.org', true, 403],
	])('%s', async (_title, address, isOwner, statusCode) => {
		const row = { id: randomUUID(), owner_id: randomUUID(), name: 'Plans' };
		const secret = { box: '', salt: 'salt', cost: 2 ** 6 };
		const seal = { rules: { recipients: ['*@example.com', 'ben@example.com'] }, secret };
		const door = { vault: created.vault } as Door;
		const enter = async (address: string, isOwner = false) => {
			const visit = { row, seal, address, isOwner, ip: '192.0.2.1' } as Visit;
			return await verifyPassword(door, visit, 'wrong');
		};
		const strangers = times(20, (n) => times(5, () => `person${n}@example.com`)).flat();
		for (const stranger of strangers) {
			await expect(enter(stranger)).rejects.toMatchObject({ statusCode: 403 });
		}
		await expect(enter(address, isOwner)).rejects.toMatchObject({ statusCode });
	});
});

it('a file is not read, nor called damaged, without the key that the password gives', async () => {
	const read = jest.fn();
	const vault = { storage: { read } as Partial<Vault['storage']> } as Vault;
	const secret = { box: 'box', salt: 'salt', cost: 2 };
	const container = { row: { id: 'c-1' }, seal: { secret } } as OpenedContainer;
	const bytes = decryptFile(vault, container, { offset: 0, size: 5 }, { start: 0, end: 5 });
	await expect(bytes.next()).rejects.toThrow('The password key of container c-1 is wrong');
	expect(read).not.toHaveBeenCalled();
});
