import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startEditorEnvironment } from './environment.cts';
import { openEditor, type Editor } from '../test/browser/support/editor.cts';
import * as panel from '../test/browser/support/nodePanel.cts';
import * as examples from './examples.cts';
import { takePages } from './pageScreenshots.cts';
import { cacheFolder, projectRoot } from './project.cts';
import { log, runTool } from './tool.cts';
import * as n8n from './realN8n/workflow.cts';

type Environment = Awaited<ReturnType<typeof startEditorEnvironment>>;

const folder = join(projectRoot, 'docs', 'images');

/** Elements over the canvas that belong to no workflow, and what an example needs you to fill in first. */
const OVERLAYS = `${[
	...['canvas-controls', 'canvas-minimap', 'canvas-background', 'logs-panel', 'node-issues'],
	...['node-creator-plus-button', 'command-bar-button', 'execute-workflow-button'],
	...['workflow-chat-button', 'add-sticky-button', 'toggle-focus-panel-button'],
	'instance-ai-canvas-action-button',
].map((id) => `[data-test-id^=${id}]`)}, [aria-label='Select trigger node'], .tab-bar-container`;

/** Takes all screenshots of the documentation. With the argument `pages`, only those of the service. */
async function main() {
	await takePages();
	if (process.argv[2] !== 'pages') await takeEditor();
	log(`The screenshots are in ${folder}`);
}

/** Takes those of the real n8n, with the service. */
async function takeEditor() {
	const environment = await startEditorEnvironment();
	const { service, server, profile, stop } = environment;
	const editor = await openEditor(server.access, { profile, width: 1200, height: 900, scale: 2 });
	try {
		const own = { name: 'Encrypted Containers account', type: n8n.CREDENTIAL_TYPE };
		const data = { baseUrl: service.baseUrl, apiKey: service.apiKey };
		const id = await server.createCredential({ ...own, data });
		const credentials = { [n8n.CREDENTIAL_TYPE]: { id, name: own.name } };
		await editor.record(join(cacheFolder, 'browser', 'failures', 'screenshots'), async () => {
			await takePanels(editor, environment, credentials);
			await takeExamples(editor, environment, credentials);
		});
	} finally {
		await editor.close();
		await stop();
	}
}

async function takePanels(
	{ page, openWorkflow }: Editor,
	{ server, client }: Environment,
	credentials: examples.StoredCredentials,
) {
	const end = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
	await client.addContainer({ name: 'Offer for Lindqvist AB', rules: { time: { end } } });
	await client.addContainer({ name: 'Invoice 2026-0042' });
	const node = { type: n8n.NODE_TYPE, credentials };
	const revoke = { resource: 'drm', operation: 'revoke' };
	const trigger = { ...node, type: n8n.TRIGGER_TYPE, parameters: { event: 'accessEnding' } };
	const workflow = n8n.buildWorkflow([
		n8n.START,
		{ ...node, name: 'Encrypt the Report', parameters: encodeParameters },
		{ ...node, name: 'Revoke Access', parameters: revoke, to: [] },
		{ ...trigger, name: 'Access Ending', position: [0, 220] },
	]);
	const id = await server.createWorkflow(workflow);
	const takePanel = async (
		name: string,
		caption: string,
		height: number,
		prepare: () => Promise<unknown>,
	) => {
		await page.setViewportSize({ width: 1400, height });
		await openWorkflow(id);
		await panel.openPanel(page, caption);
		await prepare();
		await page.waitForTimeout(500);
		await take(page, name, '[data-test-id=ndv]');
	};
	// High enough for all fields.
	await takePanel('encode', 'Encrypt the Report', 1700, () => panel.executeNode(page));
	await takePanel('choose-container', 'Revoke Access', 640, async () => {
		// Without a choice, the field has a red mark.
		await panel.chooseFirst(page, 'containerId');
		await panel.openList(page, 'containerId');
	});
	await takePanel('trigger', 'Access Ending', 900, () => panel.executeNode(page));
}

/** Takes small pictures of the examples in the README, without their notes. */
async function takeExamples(
	editor: Editor,
	{ server }: Environment,
	credentials: examples.StoredCredentials,
) {
	const { page } = editor;
	await page.setViewportSize({ width: 700, height: 440 });
	const stored = { ...credentials };
	// Without a credential of each type, the canvas shows a warning.
	for (const type of Object.values(examples.CREDENTIAL_TYPES)) {
		const create = async () => await server.createCredential({ name: 'Account', type, data: {} });
		stored[type] ??= { id: await create(), name: 'Account' };
	}
	const readme = await readFile(join(projectRoot, 'README.md'), 'utf8');
	for (const [name, example] of await examples.readExamples()) {
		if (!readme.includes(`docs/images/${name}.png`)) continue;
		const workflow = examples.withCredentials(example, stored);
		const nodes = workflow.nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
		await editor.openWorkflow(await server.createWorkflow({ ...workflow, nodes }));
		await page.addStyleTag({ content: `${OVERLAYS} { opacity: 0 !important }` });
		await page.keyboard.press('Escape');
		await page.locator('[data-test-id=zoom-to-fit]').click();
		await page.mouse.move(0, 0);
		// Wait for the animation of the canvas.
		await page.waitForTimeout(1000);
		await take(page, name, '[data-test-id=canvas]');
	}
}

const encodeParameters = {
	resource: 'container',
	operation: 'encode',
	fileSource: 'text',
	textContent: 'Revenue grew by 4 % in the third quarter.',
	textFileName: 'report-2026-q3.txt',
	name: 'Report for the third quarter',
	recipients: 'ada.lindqvist@example.com, *@example.org',
	accessEnds: 'onDate',
	timeEnd: '2026-12-31T00:00:00',
	drmRules: { geoAllow: ['AT', 'CH', 'DE'], opens: 5 },
};

/** Takes an element, without notifications and the links at the edges of a panel. */
async function take(page: Page, name: string, element: string) {
	const hidden = '.el-notification, [data-test-id=floating-node]';
	await page.addStyleTag({ content: `${hidden} { display: none !important }` });
	const path = join(folder, `${name}.png`);
	await page.locator(element).screenshot({ path, animations: 'disabled', caret: 'hide' });
}

runTool(main);
