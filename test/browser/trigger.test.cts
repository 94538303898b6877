import { selectAction, selectNode, openNodeCreator, searchNodes } from './support/nodePanel.cts';
import {
	selectOption,
	closePanel,
	executeNode,
	openPanel,
	getOutputJson,
	getParameter,
} from './support/nodePanel.cts';
import { TRIGGER_TYPE, buildWorkflow } from '../../tools/realN8n/workflow.cts';
import { editorTests } from './support/editorTests.cts';

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

	inEditor('shows a sample when it is tested', async (editorTest) => {
		const { editor, page, service, server, credentials } = editorTest;
		await service.addContainer({ name: 'Contract' });
		await service.addContact('anna@example.com');
		const samples = { 'Contact Created': 'anna@example.com', 'Container Created': 'Contract' };
		const nodes = Object.keys(samples).map((name, index) => ({
			id: name,
			name,
			type: TRIGGER_TYPE,
			typeVersion: 1,
			position: [0, 200 * index] as [number, number],
			parameters: { event: 'containerDeleted' },
			credentials,
		}));
		await editor.openWorkflow(await server.createWorkflow({ ...buildWorkflow([]), nodes }));

		for (const [event, sample] of Object.entries(samples)) {
			await openPanel(page, event);
			await selectOption(page, 'event', event);
			expect(await executeNode(page)).toBe('success');
			expect(JSON.stringify(await getOutputJson(page))).toContain(sample);
			await closePanel(page);
		}
	});
});
