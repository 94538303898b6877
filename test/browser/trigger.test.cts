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
} from '../../tools/editor/nodePanel.cts';
import { TRIGGER_TYPE, workflowOf } from '../../tools/realN8n/workflow.cts';
import { editorTests } from './support/editorTests.cts';

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

	inEditor('shows a sample when it is tried', async (scene) => {
		const { page, editor, sandbox, credentials } = scene;
		await sandbox.addContainers([{ name: 'Contract' }]);
		await sandbox.addContacts([{ email: 'anna@example.com' }]);
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
		await editor.openWorkflow(await editor.createWorkflow({ ...workflowOf([]), nodes }));

		for (const [event, sample] of Object.entries(samples)) {
			await openPanel(page, event);
			await chooseOption(page, 'event', event);
			expect(await executeNode(page)).toBe('success');
			expect(JSON.stringify(await outputJson(page))).toContain(sample);
			await closePanel(page);
		}
	});
});
