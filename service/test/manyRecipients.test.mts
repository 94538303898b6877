import { deleteFromIndex, insertIntoIndex, readIndex } from '../src/database/recipients.mts';
import { describeService, times } from './support/service.mts';
import { createVault, storeContainer } from './support/vault.mts';

describeService('the index of recipients', () => {
	it('has all of thousands, gives them to another owner, and removes no others', async () => {
		const { vault, end } = await createVault();
		const { database } = vault;
		const one = (await storeContainer(vault)).seq;
		const other = (await storeContainer(vault)).seq;
		const toRows = (count: number, owner_id: string, container_seq = one) =>
			times(count, (n) => ({ container_seq, recipient: `a${n}@example.com`, owner_id }));
		const read = async (sequence: number) => {
			const rows = await readIndex(database, [sequence]);
			return [rows.length, [...new Set(rows.map(({ owner_id }) => owner_id))]];
		};
		await insertIntoIndex(database, toRows(2500, 'first'));
		await insertIntoIndex(database, toRows(2500, 'first', other));
		await insertIntoIndex(database, toRows(2500, 'second'));
		const owned = [await read(one), await read(other)];
		const gone = toRows(2400, 'second').map(({ recipient }) => recipient);
		await deleteFromIndex(database, one, gone);
		const left = [await read(one), await read(other)];
		await end();

		expect(owned).toEqual([
			[2500, ['second']],
			[2500, ['first']],
		]);
		expect(left).toEqual([
			[100, ['second']],
			[2500, ['first']],
		]);
	});
});
