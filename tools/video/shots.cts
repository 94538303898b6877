import type { Locator, Page } from 'playwright-core';
import type { startEditorEnvironment } from '../demoService.cts';
import * as credential from '../editor/credentialWindow.cts';
import type { Editor } from '../editor/editor.cts';
import * as panel from '../editor/nodePanel.cts';
import { createCredentials, readExamples, withCredentials } from '../examples.cts';
import type { N8nServer } from '../realN8n/server.cts';
import {
	buildWorkflow,
	CREDENTIAL_TYPE,
	NODE_TYPE,
	START,
	TRIGGER_TYPE,
	type CredentialJson,
	type NodeOptions,
	type WorkflowJson,
} from '../realN8n/workflow.cts';

/** What the shots use, and what one leaves to the next: `form` is the ID of the example with the form. */
export type Scene = Awaited<ReturnType<typeof startEditorEnvironment>> &
	Pick<Editor, 'page' | 'openWorkflow' | 'openNewWorkflow'> & { form: string };

const RECIPIENT = 'ada.lindqvist@example.com';
/** For a small picture of a page of n8n's forms. */
const ENLARGED = { content: 'body { zoom: 1.6 }' };

/** What happens in each shot of the storyboard. */
export const shots: Record<string, (scene: Scene) => Promise<void>> = {
	async install({ page }) {
		await page.getByRole('button', { name: 'Install a community node' }).click();
		await type(page.locator('[data-test-id=package-name-input]'), 'n8n-nodes-encrypted-containers');
		await page.locator('[data-test-id=user-agreement-checkbox]').click();
		await page.locator('[data-test-id=install-community-package-button]').hover();
	},
	async search({ page, openNewWorkflow }) {
		await openNewWorkflow();
		await panel.openNodeCreator(page);
		await panel.searchNodes(page, 'encrypt');
	},
	async actions({ page }) {
		await panel.selectNode(page, 'Encrypted Containers');
		await page.waitForTimeout(1500);
		const list = page.locator('[data-test-id=node-creator]');
		await list.getByText(/^Actions \(\d+\)/).click();
		await list.getByText('Revoke access to a container').scrollIntoViewIfNeeded();
	},
	async credential({ page, sandbox }) {
		await panel.selectAction(page, 'Encode (encrypt) files into a container');
		await credential.openNewCredential(page);
		await credential.fillCredential(page, { baseUrl: sandbox.url, apiKey: sandbox.apiKey });
	},
	async test({ page }) {
		await credential.saveCredential(page);
		await credential.openSelectedCredential(page);
		await credential.getTestResult(page);
	},
	async form(scene) {
		scene.form = await openExample(scene, 'form-upload-to-container');
	},
	async encode({ page }) {
		await panel.openPanel(page, 'Encrypt the File');
		await page.waitForTimeout(1500);
		await panel.getParameter(page, 'downloadable').scrollIntoViewIfNeeded();
	},
	async publish({ page, server, file, form }) {
		await server.activate(form);
		await page.goto(`${server.url}/form/share-a-file`);
		await page.addStyleTag(ENLARGED);
		await page.locator('input[type=file]').setInputFiles(file);
		await type(page.locator('input[type=email]'), RECIPIENT);
	},
	async submit({ page }) {
		await page.getByRole('button', { name: 'Encrypt' }).click();
		await page.getByText('Your file is encrypted').waitFor();
		await page.addStyleTag(ENLARGED);
	},
	async result({ page, server, form }) {
		const [{ id }] = await server.waitForExecutions(form, 1);
		await page.goto(`${server.url}/workflow/${form}/executions/${id}`);
		await panel.openPanel(page, 'Encrypt the File');
		await panel.showJson(page, 'output');
	},
	async extend(scene) {
		const { page } = scene;
		await openRules(scene, 'Extend Access', 'update');
		await panel.addToCollection(page, 'Add Rule', 'Days to Extend Access');
		await panel.fillParameter(page, 'extendByDays', '30');
		await execute(page);
		await panel.showJson(page, 'input');
	},
	async revoke(scene) {
		await openRules(scene, 'Revoke Access', 'revoke');
		await execute(scene.page);
		await panel.showJson(scene.page, 'input');
	},
	async trigger(scene) {
		const end = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
		const rules = { dynamic: true, recipients: [RECIPIENT], time: { end } };
		scene.sandbox.addContainer({ name: 'Contract 2026-17', rules });
		const parameters = { event: 'accessEnding', withinDays: 7 };
		await openNode(scene, { name: 'When Access Ends Soon', type: TRIGGER_TYPE, parameters });
		await execute(scene.page);
	},
	async examples(scene) {
		await openExample(scene, 'extend-access-after-approval');
	},
};

async function type(input: Locator, text: string): Promise<void> {
	await input.click();
	await input.pressSequentially(text, { delay: 40 });
}

/** Executes the node of the open panel and shows its output. @throws when it fails */
async function execute(page: Page): Promise<void> {
	if ((await panel.executeNode(page)) === 'error') throw new Error('The node in the film failed.');
	await panel.showJson(page, 'output');
}

/** Opens the panel of a node that changes rules, after one that shows them as they are before, and chooses a container. */
async function openRules(scene: Scene, name: string, operation: string): Promise<void> {
	const { page } = scene;
	const node = { name, type: NODE_TYPE, parameters: { resource: 'drm', operation } };
	const parameters = { resource: 'drm', operation: 'get' };
	await openNode(scene, { ...node, name: 'Rules Before', parameters }, node);
	await panel.chooseFirst(page, 'containerId');
	await panel.closePanel(page);
	await panel.openPanel(page, name);
	await panel.chooseFirst(page, 'containerId');
}

/** Opens the panel of the first of some nodes in a new workflow. */
async function openNode({ openWorkflow, page, server }: Scene, ...chain: NodeOptions[]) {
	const credentials = await findCredentials(server);
	const nodes = chain.map((node) => ({ ...node, credentials }));
	const [{ name, type: first }] = nodes;
	const workflow = buildWorkflow(first === TRIGGER_TYPE ? nodes : [START, ...nodes], { name });
	await openWorkflow(await server.createWorkflow(workflow));
	await panel.openPanel(page, name);
}

/** Opens an example with its credentials, and returns its ID. */
async function openExample({ openWorkflow, page, server }: Scene, name: string) {
	const stored = await createCredentials(server, await findCredentials(server));
	const example = (await readExamples()).get(name) as WorkflowJson;
	const id = await server.createWorkflow(withCredentials(example, stored));
	await openWorkflow(id);
	await page.locator('[data-test-id=zoom-to-fit]').click();
	return id;
}

/** The credential that the film created. */
async function findCredentials(server: N8nServer) {
	const all = await server.rest<CredentialJson[]>('GET', '/rest/credentials');
	const [{ id, name }] = all.filter((one) => one.type === CREDENTIAL_TYPE);
	return { [CREDENTIAL_TYPE]: { id, name } };
}
