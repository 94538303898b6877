import {
	fillCredential,
	openNewCredential,
	saveCredential,
} from '../../tools/editor/credentialWindow.cts';
import {
	chooseAction,
	chooseNode,
	openNodeCreator,
	searchNodes,
} from '../../tools/editor/nodeCreator.cts';
import {
	chooseOption,
	closePanel,
	executeNode,
	openPanel,
	outputJson,
	parameter,
	shownError,
} from '../../tools/editor/nodePanel.cts';
import { TRIGGER_TYPE, workflowOf } from '../../tools/realN8n/workflow.cts';
import { editorTests, type Scene } from './support/editorTests.cts';

describe('the trigger in the editor', () => {
	const inEditor = editorTests();

	inEditor('is found by what it watches, and added with its event', async ({ editor, page }) => {
		await editor.openNewWorkflow();
		await openNodeCreator(page);
		expect(await searchNodes(page, 'encrypt')).toContain('Encrypted Containers');
		await chooseNode(page, 'Encrypted Containers');
		await chooseAction(page, 'On contact created');

		expect(await parameter(page, 'event').locator('input').inputValue()).toBe('Contact Created');
		await closePanel(page);
	});

	/** Shows a trigger for each event, which has the event's name. */
	const showTriggers = async (
		{ editor }: Scene,
		events: string[],
		credentials?: Scene['credentials'],
	) => {
		const nodes = events.map((name, index) => ({
			id: name,
			name,
			type: TRIGGER_TYPE,
			typeVersion: 1,
			position: [0, 200 * index] as [number, number],
			parameters: { event: 'containerDeleted' },
			credentials,
		}));
		await editor.openWorkflow(await editor.createWorkflow({ ...workflowOf([]), nodes }));
	};

	inEditor('gets its credential, which says that it works', async (scene) => {
		const { page, sandbox } = scene;
		await showTriggers(scene, ['Container Deleted']);
		await openPanel(page, 'Container Deleted');
		await openNewCredential(page);
		await fillCredential(page, { baseUrl: sandbox.url, apiKey: sandbox.apiKey });

		expect(await saveCredential(page)).toContain('Connection tested successfully');
		await closePanel(page);
	});

	inEditor('says that the key is wrong', async (scene) => {
		const { page, addCredential } = scene;
		const credentials = await addCredential('Wrong key', { apiKey: 'not-a-key' });
		await showTriggers(scene, ['Container Deleted'], credentials);
		await openPanel(page, 'Container Deleted');

		expect(await executeNode(page)).toBe('error');
		const { message, description } = await shownError(page);
		expect(message).toBe('The service did not accept the API key');
		expect(description).toContain('enter a valid API key');
		await closePanel(page);
	});

	inEditor('shows a sample when it is tried', async (scene) => {
		const { page, sandbox, credentials } = scene;
		await sandbox.addContainers([{ name: 'Contract' }]);
		await sandbox.addContacts([{ email: 'anna@example.com' }]);
		const samples = { 'Contact Created': 'anna@example.com', 'Container Created': 'Contract' };
		await showTriggers(scene, Object.keys(samples), credentials);

		for (const [event, sample] of Object.entries(samples)) {
			await openPanel(page, event);
			await chooseOption(page, 'event', event);
			expect(await executeNode(page)).toBe('success');
			expect(JSON.stringify(await outputJson(page))).toContain(sample);
			await closePanel(page);
		}
	});
});
