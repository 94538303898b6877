import { readFile } from 'node:fs/promises';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { Sandbox } from '../sandbox/index.cts';
import {
	closeCredential,
	getCredentialWindow,
	getTestResult,
	openSelectedCredential,
} from './editor/credentialWindow.cts';
import { openEditor, type Editor } from './editor/editor.cts';
import { startEditorEnvironment } from './editor/editorEnvironment.cts';
import { closePanel, executeNode, openList, openPanel } from './editor/nodePanel.cts';
import { createCredentials, readExamples, withCredentials } from './examples.cts';
import { cacheFolder, projectRoot } from './project.cts';
import { consoleProgress, runTool } from './tool.cts';
import type { N8nServer } from './realN8n/server.cts';
import { CREDENTIAL_TYPE, NODE_TYPE, TRIGGER_TYPE, buildWorkflow } from './realN8n/workflow.cts';

const folder = join(projectRoot, 'docs', 'images');
const getPath = (name: string) => join(folder, `${name}.png`);

/** Elements over the canvas that belong to no workflow. */
const OVERLAYS = [
	'canvas-controls',
	'canvas-minimap',
	'canvas-background',
	'logs-panel',
	'node-creator-plus-button',
	'command-bar-button',
	'execute-workflow-button',
	'workflow-chat-button',
	'add-sticky-button',
	'toggle-focus-panel-button',
	'instance-ai-canvas-action-button',
	'radio-button-workflow',
	'radio-button-executions',
	'radio-button-evaluation',
	// What an example needs you to fill in first.
	'node-issues',
].map((id) => `[data-test-id^=${id}]`);

/** Takes all screenshots of the README in the real n8n, with the sandbox as its service. */
async function main() {
	const progress = consoleProgress();
	const { sandbox, server, profile, stop } = await startEditorEnvironment(progress);
	const editor = await openEditor(server, { profile, width: 1200, height: 900, scale: 2 });
	try {
		const id = await server.createCredential({
			name: 'Encrypted Containers account',
			type: CREDENTIAL_TYPE,
			data: {
				baseUrl: sandbox.url,
				apiKey: sandbox.apiKey,
				allowedRecipients: '*@example.com, *@example.org',
				maxAccessDays: '90',
			},
		});
		const credentials = { [CREDENTIAL_TYPE]: { id, name: 'Encrypted Containers account' } };
		const steps: Array<[title: string, work: () => Promise<void>]> = [
			['the panels', async () => await takePanels(editor, sandbox, credentials)],
			['the examples', async () => await takeExamples(editor, server, credentials)],
		];
		await editor.record(join(cacheFolder, 'browser', 'failures', 'screenshots'), async () => {
			for (const [title, work] of steps)
				await progress.step(`Taking screenshots of ${title}`, work);
		});
	} finally {
		await editor.close();
		await stop();
	}
	progress.log(`The screenshots are in ${folder}`);
}

type Credentials = Record<string, { id: string; name: string }>;

async function takePanels(editor: Editor, sandbox: Sandbox, credentials: Credentials) {
	const { page } = editor;
	for (const [index, name] of ['Offer for Lindqvist AB', 'Contract 2026-17'].entries()) {
		const end = new Date(Date.now() + (index + 2) * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
		sandbox.addContainer({ name, rules: { dynamic: true, time: { end } } });
	}
	sandbox.addContainer({ name: 'Invoice 2026-0042' });
	const node = { type: NODE_TYPE, credentials };
	const workflow = buildWorkflow([
		{ name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
		{ ...node, name: 'Encrypt the Report', parameters: encodeParameters() },
		{
			...node,
			name: 'Revoke Access',
			parameters: { resource: 'drm', operation: 'revoke' },
			to: [],
		},
		{
			name: 'Access Ending',
			type: TRIGGER_TYPE,
			credentials,
			parameters: { event: 'accessEnding' },
			position: [0, 220],
		},
	]);
	await editor.openWorkflow(await editor.createWorkflow(workflow));

	// High enough for all fields.
	await page.setViewportSize({ width: 1400, height: 1700 });
	await openPanel(page, 'Encrypt the Report');
	await executeNode(page);
	await page.waitForTimeout(500);
	await takeRightHalf(page, 'encode');
	await openSelectedCredential(page);
	await getTestResult(page);
	// The guardrails are below the fold.
	await page.locator('[data-test-id=parameter-input-forbidDownload]').scrollIntoViewIfNeeded();
	await page.waitForTimeout(500);
	await hideDistractions(page);
	await takeScreenshot(
		page,
		getPath('credential'),
		await getBoundingBox([getCredentialWindow(page)], 0),
	);
	await closeCredential(page);
	await closePanel(page);

	await page.setViewportSize({ width: 1200, height: 900 });
	await openPanel(page, 'Revoke Access');
	// Without a choice, the field has a red mark.
	await openList(page, 'containerId');
	await page.locator('[data-test-id=rlc-item]:visible').first().click();
	await openList(page, 'containerId');
	await takePanel(page, 'choose-container', 540);
	await page.keyboard.press('Escape');
	await closePanel(page);

	await page.setViewportSize({ width: 1400, height: 900 });
	await openPanel(page, 'Access Ending');
	await executeNode(page);
	await takeRightHalf(page, 'trigger');
	await closePanel(page);
}

/** Takes small pictures of the examples in the README, without their notes. */
async function takeExamples(editor: Editor, server: N8nServer, credentials: Credentials) {
	const { page } = editor;
	await page.setViewportSize({ width: 700, height: 440 });
	const stored = await createCredentials(server, credentials);
	const readme = await readFile(join(projectRoot, 'README.md'), 'utf8');
	for (const [name, example] of await readExamples()) {
		if (!readme.includes(`docs/images/${name}.png`)) continue;
		const workflow = withCredentials(example, stored);
		const nodes = workflow.nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
		await editor.openWorkflow(await server.createWorkflow({ ...workflow, nodes }));
		await page.addStyleTag({ content: `${OVERLAYS.join()} { opacity: 0 !important }` });
		await takeCanvas(page, name);
	}
}

function encodeParameters() {
	return {
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
}

/** Takes the upper part of the open panel. The rest is empty. */
async function takePanel(page: Page, name: string, height: number) {
	await hideDistractions(page);
	const panel = await getBoundingBox([page.locator('[data-test-id=ndv]')], 0);
	await takeScreenshot(page, getPath(name), { ...panel, height: Math.min(panel.height, height) });
}

/** Takes the whole form and the output of the open panel. */
async function takeRightHalf(page: Page, name: string) {
	await hideDistractions(page);
	const form = await getBoundingBox([page.locator('[data-test-id=node-parameters] input')], 20);
	const output = await getBoundingBox([page.locator('[data-test-id=output-panel]')], 0);
	await takeScreenshot(page, getPath(name), {
		x: form.x,
		y: output.y,
		width: output.x + output.width - form.x,
		height: form.y + form.height - output.y,
	});
}

async function takeCanvas(page: Page, name: string) {
	await hideDistractions(page);
	await page.keyboard.press('Escape');
	await page.locator('[data-test-id=zoom-to-fit]').click();
	await page.mouse.move(0, 0);
	// Wait for the animation of the canvas.
	await page.waitForTimeout(1000);
	const nodes = page.locator('[data-test-id=canvas-node]');
	const captions = nodes.locator('[class*=_description_]');
	await takeScreenshot(page, getPath(name), await getBoundingBox([nodes, captions], 16));
}

/** Hides notifications, and the links to neighboring nodes at the edges of a panel. */
async function hideDistractions(page: Page) {
	const hidden = '.el-notification, [data-test-id=floating-node]';
	await page.addStyleTag({ content: `${hidden} { display: none !important }` });
}

interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

const MAX_KB = 300;

/** Returns the smallest box around all elements of the locators, with a margin. */
async function getBoundingBox(locators: Locator[], margin: number): Promise<Box> {
	const elements = await Promise.all(locators.map(async (locator) => await locator.all()));
	const all = await Promise.all(elements.flat().map(async (one) => await one.boundingBox()));
	const boxes = all.filter((box) => box !== null);
	if (boxes.length === 0) throw new Error('The page has none of the elements for the screenshot.');
	const left = Math.min(...boxes.map(({ x }) => x)) - margin;
	const top = Math.min(...boxes.map(({ y }) => y)) - margin;
	const right = Math.max(...boxes.map(({ x, width }) => x + width)) + margin;
	const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + margin;
	return { x: left, y: top, width: right - left, height: bottom - top };
}

/**
 * Takes a screenshot of a part of the page.
 * @throws when the file is too large for a README
 */
async function takeScreenshot(page: Page, path: string, box: Box): Promise<void> {
	const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
	const x = Math.max(0, Math.floor(box.x));
	const y = Math.max(0, Math.floor(box.y));
	const clip = {
		x,
		y,
		width: Math.min(width, Math.ceil(box.x + box.width)) - x,
		height: Math.min(height, Math.ceil(box.y + box.height)) - y,
	};
	await mkdir(dirname(path), { recursive: true });
	await page.screenshot({ path, clip, animations: 'disabled', caret: 'hide' });
	const kilobytes = (await stat(path)).size / 1000;
	if (kilobytes > MAX_KB) throw new Error(`${path} is too large: ${Math.round(kilobytes)} KB.`);
}

runTool(main);
