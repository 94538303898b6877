import type { Locator, Page } from 'playwright-core';
import type { Sandbox } from '../../sandbox/index.cts';
import {
	closeCredential,
	fillCredential,
	getTestResult,
	openNewCredential,
	openSelectedCredential,
	saveCredential,
} from '../editor/credentialWindow.cts';
import type { Editor } from '../editor/editor.cts';
import { openNodeCreator, searchNodes, selectAction, selectNode } from '../editor/nodeCreator.cts';
import {
	addToCollection,
	closePanel,
	executeNode,
	fillParameter,
	getCanvasNode,
	getParameter,
	openList,
	openPanel,
	showJson,
} from '../editor/nodePanel.cts';
import {
	createCredentials,
	readExamples,
	withCredentials,
	type StoredCredentials,
} from '../examples.cts';
import type { N8nServer } from '../realN8n/server.cts';
import {
	CREDENTIAL_TYPE,
	NODE_TYPE,
	TRIGGER_TYPE,
	buildWorkflow,
	type CredentialJson,
	type NodeOptions,
	type WorkflowJson,
} from '../realN8n/workflow.cts';
import type { LeaveOut } from './recording.cts';

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

const PACKAGE = 'n8n-nodes-encrypted-containers';
const RECIPIENT = 'ada.lindqvist@example.com';
/** For a look at a picture before the next action. */
const LOOK_MS = 1500;

/** Shows the page where the film begins. */
export async function openFirstPage({ page, server }: Scene): Promise<void> {
	await page.goto(`${server.url}/settings/community-nodes`);
	await getInstallButton(page).waitFor();
}

/** What happens in each shot of the storyboard. */
export const shots: Record<string, (scene: Scene, leaveOut: LeaveOut) => Promise<void>> = {
	async install({ page }) {
		await getInstallButton(page).click();
		await type(page.locator('[data-test-id=package-name-input]'), PACKAGE);
		await page.locator('[data-test-id=user-agreement-checkbox]').click();
		await page.locator('[data-test-id=install-community-package-button]').hover();
	},
	async search({ editor, page }, leaveOut) {
		await leaveOut(editor.openNewWorkflow);
		await openNodeCreator(page);
		await searchNodes(page, 'encrypt');
	},
	async actions({ page }) {
		await selectNode(page, 'Encrypted Containers');
		await page.waitForTimeout(LOOK_MS);
		const list = page.locator('[data-test-id=node-creator]');
		await list.getByText(/^Actions \(\d+\)/).click();
		await list.getByText('Revoke access to a container').scrollIntoViewIfNeeded();
	},
	async credential({ page, sandbox }) {
		await selectAction(page, 'Encode (encrypt) files into a container');
		await openNewCredential(page);
		await fillCredential(page, { baseUrl: sandbox.url, apiKey: sandbox.apiKey });
	},
	async test({ page }) {
		await saveCredential(page);
		await openSelectedCredential(page);
		await getTestResult(page);
	},
	async form(scene, leaveOut) {
		await closeCredential(scene.page);
		scene.form = await leaveOut(async () => await openExample(scene, 'form-upload-to-container'));
	},
	async encode({ page }) {
		await openPanel(page, 'Encrypt the File');
		await page.waitForTimeout(LOOK_MS);
		await getParameter(page, 'downloadable').scrollIntoViewIfNeeded();
	},
	async publish({ page, server, file, form }, leaveOut) {
		await server.activate(form);
		await leaveOut(async () => {
			await page.goto(`${server.url}/form/share-a-file`);
			await enlarge(page);
		});
		await page.locator('input[type=file]').setInputFiles(file);
		await type(page.locator('input[type=email]'), RECIPIENT);
	},
	async submit({ page }) {
		await page.getByRole('button', { name: 'Encrypt' }).click();
		await page.getByText('Your file is encrypted').waitFor();
		await enlarge(page);
	},
	async result({ page, server, form }, leaveOut) {
		const [{ id }] = await server.waitForExecutions(form, 1);
		const node = 'Encrypt the File';
		await leaveOut(async () => {
			await page.goto(`${server.url}/workflow/${form}/executions/${id}`);
			await getCanvasNode(page, node).waitFor();
		});
		await page.waitForTimeout(LOOK_MS);
		await openPanel(page, node);
		await showJson(page, 'output');
	},
	async extend(scene, leaveOut) {
		const parameters = { resource: 'drm', operation: 'update' };
		await leaveOut(async () => await openRulesNode(scene, { name: 'Extend Access', parameters }));
		await chooseContainer(scene.page);
		await addToCollection(scene.page, 'Add Rule', 'Days to Extend Access');
		await fillParameter(scene.page, 'extendByDays', '30');
		await execute(scene.page);
		await showJson(scene.page, 'input');
	},
	async revoke(scene, leaveOut) {
		const parameters = { resource: 'drm', operation: 'revoke' };
		await leaveOut(async () => await openRulesNode(scene, { name: 'Revoke Access', parameters }));
		await chooseContainer(scene.page);
		await execute(scene.page);
		await showJson(scene.page, 'input');
	},
	async trigger(scene, leaveOut) {
		const end = new Date(Date.now() + 3 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
		const rules = { dynamic: true, recipients: [RECIPIENT], time: { end } };
		scene.sandbox.addContainer({ name: 'Contract 2026-17', rules });
		const parameters = { event: 'accessEnding', withinDays: 7 };
		const node = { name: 'When Access Ends Soon', type: TRIGGER_TYPE, parameters };
		await leaveOut(async () => await openNode(scene, node));
		await execute(scene.page);
	},
	async examples(scene, leaveOut) {
		await leaveOut(async () => await openExample(scene, 'extend-access-after-approval'));
	},
};

function getInstallButton(page: Page): Locator {
	return page.getByRole('button', { name: 'Install a community node' });
}

async function type(input: Locator, text: string): Promise<void> {
	await input.click();
	await input.pressSequentially(text, { delay: 40 });
}

async function chooseContainer(page: Page): Promise<void> {
	await openList(page, 'containerId');
	await page.locator('[data-test-id=rlc-item]:visible').first().click();
}

/** Executes the node of the open panel and shows its output. @throws when it fails */
async function execute(page: Page): Promise<void> {
	if ((await executeNode(page)) === 'error') throw new Error('The node in the film failed.');
	await showJson(page, 'output');
}

/** Makes a page of n8n's forms as large as its window, for a small picture. */
async function enlarge(page: Page): Promise<void> {
	await page.addStyleTag({ content: 'body { zoom: 1.6 }' });
}

/** Opens the panel of a node that changes rules, after one that shows them as they are before. */
async function openRulesNode(
	scene: Scene,
	node: Partial<NodeOptions> & { name: string },
): Promise<void> {
	const before = { name: 'Rules Before', parameters: { resource: 'drm', operation: 'get' } };
	await openNode(scene, before, node);
	await chooseContainer(scene.page);
	await closePanel(scene.page);
	await openPanel(scene.page, node.name);
}

/** Opens the panel of the first of some nodes of the package in a new workflow. */
async function openNode(
	{ editor, page, server }: Scene,
	...chain: Array<Partial<NodeOptions> & { name: string }>
): Promise<void> {
	const credentials = await findCredentials(server);
	const nodes = chain.map((node) => ({ type: NODE_TYPE, ...node, credentials }));
	const [{ name, type }] = nodes;
	const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };
	const workflow = buildWorkflow(type === TRIGGER_TYPE ? nodes : [start, ...nodes], { name });
	await editor.openWorkflow(await editor.createWorkflow(workflow));
	await openPanel(page, name);
}

/** Opens an example with its credentials, and returns its ID. */
async function openExample({ editor, page, server }: Scene, name: string): Promise<string> {
	const stored = await createCredentials(server, await findCredentials(server));
	const example = (await readExamples()).get(name) as WorkflowJson;
	const id = await server.createWorkflow(withCredentials(example, stored));
	await editor.openWorkflow(id);
	await page.locator('[data-test-id=zoom-to-fit]').click();
	return id;
}

/** Returns the credential that the film created. */
async function findCredentials(server: N8nServer): Promise<StoredCredentials> {
	const all = await server.rest<Array<CredentialJson>>('GET', '/rest/credentials');
	const created = all.filter(({ type }) => type === CREDENTIAL_TYPE);
	return Object.fromEntries(created.map(({ id, name, type }) => [type, { id, name }]));
}
