import { inspectContainers } from '../src/containers/inspect.mts';
import { deleteContainer } from '../src/database/queries.mts';
import { describeService } from './support/service.mts';
import { createVault, storeContainer } from './support/vault.mts';

describeService('what looks at all containers', () => {
	it('finds a file that is missing, but none of a container that is deleted meanwhile', async () => {
		const { vault, end } = await createVault();
		const container = await storeContainer(vault);
		const deleted = await storeContainer(vault);
		vault.storage.list = async function* () {
			await deleteContainer(vault.database, deleted.id);
			yield* [];
		};
		const { count, problems } = await inspectContainers(vault);
		await end();
		const missing = `its file ${container.object} is missing`;
		const problem = `Container ${container.id} can't be opened: ${missing}.`;
		expect([count, problems]).toEqual([2, [problem]]);
	});
});
