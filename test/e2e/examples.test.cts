import { testEncryptedFiles } from './examples/encryptFiles.cts';
import { testGovernance } from './examples/governance.cts';
import { testRecords } from './examples/manageRecords.cts';
import { testServices } from './examples/services.cts';
import { startExampleEnvironment, type ExampleEnvironment } from './support/exampleEnvironment.cts';
import { createExampleTests } from './support/exampleTests.cts';

/** All use one n8n, whose start takes longer than their tests. */
describe('the examples in the real n8n', () => {
	const running = {} as { environment: ExampleEnvironment };
	beforeAll(async () => {
		running.environment = await startExampleEnvironment();
	});
	beforeEach(() => running.environment.reset());
	afterAll(async () => await running.environment?.stop());

	const examples = createExampleTests(running);
	testEncryptedFiles(examples);
	testGovernance(examples);
	testRecords(examples);
	testServices(examples);

	it('keep the API key and every other secret out of the log', async () => {
		const { n8n, smtp, imap, chatModel, sandbox } = running.environment;
		const log = await n8n.log();
		expect(log).toContain('Editor is now accessible');
		const secrets = [smtp.password, imap.password, chatModel.apiKey];
		for (const secret of [...secrets, sandbox.apiKey]) expect(log).not.toContain(secret);
	});
});
