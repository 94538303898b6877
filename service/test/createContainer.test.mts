import { randomUUID } from 'node:crypto';
import { createContainer as store } from '../src/containers/createContainer.mts';
import { createVault } from './support/vault.mts';
import { describeService } from './support/service.mts';

type Created = Awaited<ReturnType<typeof createVault>>;
type Wanted = Parameters<typeof store>[1];

describeService('the file of a container that is not created', () => {
	let created: Created;

	beforeEach(async () => {
		created = await createVault();
	});
	afterEach(async () => await created.end());

	async function* readFiles() {
		const content = (async function* () {
			yield Buffer.from('Hello');
		})();
		yield { name: 'note.txt', type: 'text/plain', content };
	}
	const create = async (wanted: Pick<Wanted, 'confirm' | 'onCreated'>) => {
		const rules = { dynamic: false };
		const sender = { ownerId: randomUUID(), user: 'ada@example.com', ip: '192.0.2.1' };
		const files = readFiles() as Wanted['files'];
		const manifest = { name: 'Test', rules, password: undefined };
		await store(created.vault, { ...sender, manifest, files, ...wanted });
	};
	const fail = async () => await Promise.reject(new Error('failed'));

	it('is removed at once where its sender has no way in any more', async () => {
		await expect(create({ confirm: fail })).rejects.toThrow('failed');
		expect(created.files.size).toBe(0);
	});

	it('stays for the day after what fails later, since a row can have it', async () => {
		const confirm = async () => undefined;
		await expect(create({ confirm, onCreated: fail })).rejects.toThrow('failed');
		expect(created.files.size).toBe(1);
	});
});
