import { EncryptedContainersApi } from '../../credentials/EncryptedContainersApi.credentials';
import { EncryptedContainers } from '../../nodes/EncryptedContainers/EncryptedContainers.node';
import { EncryptedContainersInstantTrigger } from '../../nodes/EncryptedContainersInstantTrigger/EncryptedContainersInstantTrigger.node';
import { EncryptedContainersTrigger } from '../../nodes/EncryptedContainersTrigger/EncryptedContainersTrigger.node';

// n8n stores no default in a workflow: another default changes what saved workflows do, as another name does.
describe('names, defaults and texts in the editor change only on purpose', () => {
	for (const Described of [
		EncryptedContainers,
		EncryptedContainersTrigger,
		EncryptedContainersInstantTrigger,
	]) {
		it(`of ${Described.name}`, () => {
			expect(new Described().description).toMatchSnapshot();
		});
	}

	it('of the credential', () => {
		expect(new EncryptedContainersApi()).toMatchSnapshot();
	});
});
