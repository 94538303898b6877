import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { startEditorEnvironment, type Environment } from './environment.cts';
import { openEditor, type Editor } from '../test/browser/support/editor.cts';
import {
	chooseFirst,
	closePanel,
	executeNode,
	openList,
	openPanel,
} from '../test/browser/support/nodePanel.cts';
import {
	CREDENTIAL_TYPES,
	readExamples,
	withCredentials,
	type StoredCredentials,
} from './examples.cts';
import { readMails, waitForMail } from './recipient.cts';
import { cacheFolder, projectRoot } from './project.cts';
import { log, runTool } from './tool.cts';
import type { N8nServer } from './realN8n/server.cts';
import {
	buildWorkflow,
	CREDENTIAL_TYPE,
	NODE_TYPE,
	START,
	TRIGGER_TYPE,
} from './realN8n/workflow.cts';

const folder = join(projectRoot, 'docs', 'images');

/** Elements over the canvas that belong to no workflow, and what an example needs you to fill in first. */
const OVERLAYS = [
	...['canvas-controls', 'canvas-minimap', 'canvas-background', 'logs-panel', 'node-issues'],
	...['node-creator-plus-button', 'command-bar-button', 'execute-workflow-button'],
	...['workflow-chat-button', 'add-sticky-button', 'toggle-focus-panel-button'],
	...['instance-ai-canvas-action-button', 'radio-button-'],
].map((id) => `[data-test-id^=${id}], [aria-label='Select trigger node']`);

/** Takes all screenshots of the README in the real n8n, with the service. */
async function main() {
	const { service, client, server, profile, stop } = await startEditorEnvironment();
	const editor = await openEditor(server.access, { profile, width: 1200, height: 900, scale: 2 });
	try {
		const own = { name: 'Encrypted Containers account', type: CREDENTIAL_TYPE };
		const data = { baseUrl: service.baseUrl, apiKey: service.apiKey };
		const id = await server.createCredential({ ...own, data });
		const credentials = { [CREDENTIAL_TYPE]: { id, name: own.name } };
		await editor.record(join(cacheFolder, 'browser', 'failures', 'screenshots'), async () => {
			await takePanels(editor, server, client, credentials);
			await takeRecipient(editor.page, { service, client });
			await takeExamples(editor, server, credentials);
		});
	} finally {
		await editor.close();
		await stop();
	}
	log(`The screenshots are in ${folder}`);
}

async function takePanels(
	{ page, openWorkflow }: Editor,
	server: N8nServer,
	client: Environment['client'],
	credentials: StoredCredentials,
) {
	for (const [index, name] of ['Offer for Lindqvist AB', 'Contract 2026-17'].entries()) {
		const end = new Date(Date.now() + (index + 2) * 86_400_000).toISOString().slice(0, 10);
		await client.addContainer({ name, rules: { time: { end } } });
	}
	await client.addContainer({ name: 'Invoice 2026-0042' });
	const node = { type: NODE_TYPE, credentials };
	const revoke = { resource: 'drm', operation: 'revoke' };
	const trigger = { ...node, type: TRIGGER_TYPE, parameters: { event: 'accessEnding' } };
	const workflow = buildWorkflow([
		START,
		{ ...node, name: 'Encrypt the Report', parameters: encodeParameters },
		{ ...node, name: 'Revoke Access', parameters: revoke, to: [] },
		{ ...trigger, name: 'Access Ending', position: [0, 220] },
	]);
	await openWorkflow(await server.createWorkflow(workflow));

	// High enough for all fields.
	await page.setViewportSize({ width: 1400, height: 1700 });
	await openPanel(page, 'Encrypt the Report');
	await executeNode(page);
	await page.waitForTimeout(500);
	await takeRightHalf(page, 'encode');
	await closePanel(page);

	await page.setViewportSize({ width: 1200, height: 900 });
	await openPanel(page, 'Revoke Access');
	// Without a choice, the field has a red mark.
	await chooseFirst(page, 'containerId');
	await openList(page, 'containerId');
	// The rest of the panel is empty.
	const panel = await getBoundingBox([page.locator('[data-test-id=ndv]')], 0);
	await take(page, 'choose-container', { ...panel, height: 540 });
	await page.keyboard.press('Escape');
	await closePanel(page);

	await page.setViewportSize({ width: 1400, height: 900 });
	await openPanel(page, 'Access Ending');
	await executeNode(page);
	await takeRightHalf(page, 'trigger');
	await closePanel(page);
}

/** Takes the pages that a recipient sees, before and after access ends. */
async function takeRecipient(
	page: Page,
	{ service, client }: Pick<Environment, 'service' | 'client'>,
) {
	const email = 'anna@example.com';
	const rules = { recipients: [email], downloadable: false };
	const id = await client.addContainer({
		name: 'Invoice 2026-0042',
		rules,
		text: 'Total: 1,200 EUR',
	});
	await page.setViewportSize({ width: 640, height: 420 });
	await page.goto(new URL(`/c/${id}`, service.baseUrl).href);
	await page.getByLabel('Email address').fill(email);
	await page.screenshot({ path: join(folder, 'door-sign-in.png') });
	const { length } = readMails(service.mails);
	await page.getByRole('button', { name: 'Send Code' }).click();
	const { code } = await waitForMail(service.mails, length);
	await page.getByLabel('Code').fill(code);
	await page.getByRole('button', { name: 'Open', exact: true }).click();
	await page.getByText('Total: 1,200 EUR').waitFor();
	await page.screenshot({ path: join(folder, 'door-open.png') });
	await client.setRules(id, { time: { end: '2026-11-26' } });
	await page.setViewportSize({ width: 640, height: 200 });
	await page.reload();
	await page.screenshot({ path: join(folder, 'door-refused.png') });
}

/** Takes small pictures of the examples in the README, without their notes. */
async function takeExamples(editor: Editor, server: N8nServer, credentials: StoredCredentials) {
	const { page } = editor;
	await page.setViewportSize({ width: 700, height: 440 });
	const stored = { ...credentials };
	// Without a credential of each type, the canvas shows a warning.
	for (const type of Object.values(CREDENTIAL_TYPES)) {
		const create = async () => await server.createCredential({ name: 'Account', type, data: {} });
		stored[type] ??= { id: await create(), name: 'Account' };
	}
	const readme = await readFile(join(projectRoot, 'README.md'), 'utf8');
	for (const [name, example] of await readExamples()) {
		if (!readme.includes(`docs/images/${name}.png`)) continue;
		const workflow = withCredentials(example, stored);
		const nodes = workflow.nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
		await editor.openWorkflow(await server.createWorkflow({ ...workflow, nodes }));
		await page.addStyleTag({ content: `${OVERLAYS.join()} { opacity: 0 !important }` });
		await page.keyboard.press('Escape');
		await page.locator('[data-test-id=zoom-to-fit]').click();
		await page.mouse.move(0, 0);
		// Wait for the animation of the canvas.
		await page.waitForTimeout(1000);
		const shown = page.locator('[data-test-id=canvas-node]');
		const captions = shown.locator('[class*=_description_]');
		await take(page, name, await getBoundingBox([shown, captions], 16));
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

/** Takes the whole form and the output of the open panel. */
async function takeRightHalf(page: Page, name: string) {
	const form = await getBoundingBox([page.locator('[data-test-id=node-parameters] input')], 20);
	const output = await getBoundingBox([page.locator('[data-test-id=output-panel]')], 0);
	await take(page, name, {
		x: form.x,
		y: output.y,
		width: output.x + output.width - form.x,
		height: form.y + form.height - output.y,
	});
}

/** Returns the smallest box around all elements of the locators, with a margin. */
async function getBoundingBox(locators: Locator[], margin: number) {
	const elements = await Promise.all(locators.map(async (locator) => await locator.all()));
	const all = await Promise.all(elements.flat().map(async (one) => await one.boundingBox()));
	const boxes = all.filter((box) => box !== null);
	const x = Math.min(...boxes.map((box) => box.x)) - margin;
	const y = Math.min(...boxes.map((box) => box.y)) - margin;
	const right = Math.max(...boxes.map((box) => box.x + box.width)) + margin;
	const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + margin;
	return { x, y, width: right - x, height: bottom - y };
}

/** Takes a screenshot of a part of the page, without notifications and the links at the edges of a panel. */
async function take(page: Page, name: string, clip: Awaited<ReturnType<typeof getBoundingBox>>) {
	const hidden = '.el-notification, [data-test-id=floating-node]';
	await page.addStyleTag({ content: `${hidden} { display: none !important }` });
	const path = join(folder, `${name}.png`);
	await page.screenshot({ path, clip, animations: 'disabled', caret: 'hide' });
}

runTool(main);
