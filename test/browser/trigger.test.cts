import {
	fillCredential,
	openNewCredential,
	saveCredential,
} from '../../tools/editor/credentialWindow.cts';
import {
	selectAction,
	selectNode,
	openNodeCreator,
	searchNodes,
} from '../../tools/editor/nodePanel.cts';
import {
	selectOption,
	closePanel,
	executeNode,
	openPanel,
	getOutputJson,
	getParameter,
	getDisplayedError,
} from '../../tools/editor/nodePanel.cts';
import { TRIGGER_TYPE, buildWorkflow } from '../../tools/realN8n/workflow.cts';
import { editorTests, type EditorTest } from './support/editorTests.cts';

describe('the trigger in the editor', () => {
	const inEditor = editorTests();

	inEditor('is found by its event, and added with it', async ({ editor, page }) => {
		await editor.openNewWorkflow();
		await openNodeCreator(page);
		expect(await searchNodes(page, 'encrypt')).toContain('Encrypted Containers');
		await selectNode(page, 'Encrypted Containers');
		await selectAction(page, 'On contact created');

		expect(await getParameter(page, 'event').locator('input').inputValue()).toBe('Contact Created');
		await closePanel(page);
	});

	/** Adds a trigger for each event, with the event's name. */
	const showTriggers = async (
		{ editor, server }: EditorTest,
		events: string[],
		credentials?: EditorTest['credentials'],
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
		await editor.openWorkflow(await server.createWorkflow({ ...buildWorkflow([]), nodes }));
	};

	inEditor('has a credential that reports success', async (editorTest) => {
		const { page, sandbox } = editorTest;
		await showTriggers(editorTest, ['Container Deleted']);
		await openPanel(page, 'Container Deleted');
		await openNewCredential(page);
		await fillCredential(page, { baseUrl: sandbox.url, apiKey: sandbox.apiKey });

		expect(await saveCredential(page)).toContain('Connection tested successfully');
		await closePanel(page);
	});

	inEditor('explains that the API key is wrong', async (editorTest) => {
		const { page, addCredential } = editorTest;
		const credentials = await addCredential('Wrong key', { apiKey: 'not-a-key' });
		await showTriggers(editorTest, ['Container Deleted'], credentials);
		await openPanel(page, 'Container Deleted');

		expect(await executeNode(page)).toBe('error');
		const { message, description } = await getDisplayedError(page);
		expect(message).toBe('The service did not accept the API key');
		expect(description).toContain('enter a valid API key');
		await closePanel(page);
	});

	inEditor('shows a sample when it is tested', async (editorTest) => {
		const { page, sandbox, credentials } = editorTest;
		await sandbox.addContainers([{ name: 'Contract' }]);
		await sandbox.addContacts([{ email: 'anna@example.com' }]);
		const samples = { 'Contact Created': 'anna@example.com', 'Container Created': 'Contract' };
		await showTriggers(editorTest, Object.keys(samples), credentials);

		for (const [event, sample] of Object.entries(samples)) {
			await openPanel(page, event);
			await selectOption(page, 'event', event);
			expect(await executeNode(page)).toBe('success');
			expect(JSON.stringify(await getOutputJson(page))).toContain(sample);
			await closePanel(page);
		}
	});
});
