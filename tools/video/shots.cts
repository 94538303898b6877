import type { Locator, Page } from 'playwright-core';
import type { Sandbox } from '../../sandbox/index.cts';
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

/** What the shots use, and what one leaves to the next. */
export interface Scene {
	editor: Editor;
	page: Page;
	server: N8nServer;
	sandbox: Sandbox;
	/** The file that is encrypted. */
	file: string;
	/** ID of the example with the form. */
	form: string;
}

const RECIPIENT = 'ada.lindqvist@example.com';
/** For a look at a picture before the next action. */
const LOOK_MS = 1500;

/** What happens in each shot of the storyboard. */
export const shots: Record<string, (scene: Scene) => Promise<void>> = {
	async install({ page }) {
		await page.getByRole('button', { name: 'Install a community node' }).click();
		const name = page.locator('[data-test-id=package-name-input]');
		await type(name, 'n8n-nodes-encrypted-containers');
		await page.locator('[data-test-id=user-agreement-checkbox]').click();
		await page.locator('[data-test-id=install-community-package-button]').hover();
	},
	async search({ editor, page }) {
		await editor.openNewWorkflow();
		await panel.openNodeCreator(page);
		await panel.searchNodes(page, 'encrypt');
	},
	async actions({ page }) {
		await panel.selectNode(page, 'Encrypted Containers');
		await page.waitForTimeout(LOOK_MS);
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
		await page.waitForTimeout(LOOK_MS);
		await panel.getParameter(page, 'downloadable').scrollIntoViewIfNeeded();
	},
	async publish({ page, server, file, form }) {
		await server.activate(form);
		await page.goto(`${server.url}/form/share-a-file`);
		await enlarge(page);
		await page.locator('input[type=file]').setInputFiles(file);
		await type(page.locator('input[type=email]'), RECIPIENT);
	},
	async submit({ page }) {
		await page.getByRole('button', { name: 'Encrypt' }).click();
		await page.getByText('Your file is encrypted').waitFor();
		await enlarge(page);
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
		await execute(page, 'input');
	},
	async revoke(scene) {
		await openRules(scene, 'Revoke Access', 'revoke');
		await execute(scene.page, 'input');
	},
	async trigger(scene) {
		const end = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
		const rules = { dynamic: true, recipients: [RECIPIENT], time: { end } };
		scene.sandbox.addContainer({ name: 'Contract 2026-17', rules });
		const parameters = { event: 'accessEnding', withinDays: 7 };
		const node = { name: 'When Access Ends Soon', type: TRIGGER_TYPE, parameters };
		await openNode(scene, node);
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

/** Executes the node of the open panel and shows its output, and what it received. @throws when it fails */
async function execute(page: Page, ...sides: Array<'input'>): Promise<void> {
	if ((await panel.executeNode(page)) === 'error') throw new Error('The node in the film failed.');
	for (const side of ['output', ...sides] as const) await panel.showJson(page, side);
}

/** Makes a page of n8n's forms as large as its window, for a small picture. */
const enlarge = async (page: Page) =>
	void (await page.addStyleTag({ content: 'body { zoom: 1.6 }' }));

/** Opens the panel of a node that changes rules, after one that shows them as they are before, and chooses a container. */
async function openRules(scene: Scene, name: string, operation: string): Promise<void> {
	const { page } = scene;
	const node = { name, type: NODE_TYPE, parameters: { resource: 'drm', operation } };
	const before = {
		...node,
		name: 'Rules Before',
		parameters: { resource: 'drm', operation: 'get' },
	};
	await openNode(scene, before, node);
	await panel.chooseFirst(page, 'containerId');
	await panel.closePanel(page);
	await panel.openPanel(page, name);
	await panel.chooseFirst(page, 'containerId');
}

/** Opens the panel of the first of some nodes in a new workflow. */
async function openNode({ editor, page, server }: Scene, ...chain: NodeOptions[]): Promise<void> {
	const credentials = await findCredentials(server);
	const nodes = chain.map((node) => ({ ...node, credentials }));
	const [{ name, type: first }] = nodes;
	const workflow = buildWorkflow(first === TRIGGER_TYPE ? nodes : [START, ...nodes], { name });
	await editor.openWorkflow(await server.createWorkflow(workflow));
	await panel.openPanel(page, name);
}

/** Opens an example with its credentials, and returns its ID. */
async function openExample({ editor, page, server }: Scene, name: string) {
	const stored = await createCredentials(server, await findCredentials(server));
	const example = (await readExamples()).get(name) as WorkflowJson;
	const id = await server.createWorkflow(withCredentials(example, stored));
	await editor.openWorkflow(id);
	await page.locator('[data-test-id=zoom-to-fit]').click();
	return id;
}

/** The credential that the film created. */
async function findCredentials(server: N8nServer) {
	const all = await server.rest<CredentialJson[]>('GET', '/rest/credentials');
	const created = all.filter(({ type: own }) => own === CREDENTIAL_TYPE);
	return Object.fromEntries(created.map(({ id, name, type: own }) => [own, { id, name }]));
}
