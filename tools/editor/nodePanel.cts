import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../processes.cts';

const PARAMETERS = '[data-test-id=node-parameters]';
const INPUT = '[data-test-id=ndv-input-panel]';
const OUTPUT = '[data-test-id=output-panel]';
/** In n8n 2 and n8n 1. */
const CLOSE = '[data-test-id=ndv-close-button], [data-test-id=back-to-canvas]';
const LIST_TIMEOUT_MS = 15_000;

/** Returns a node on the canvas, by its name. */
export function getCanvasNode(page: Page, name: string): Locator {
	return page.locator(`[data-test-id=canvas-node][data-node-name="${name}"]`);
}

/** Opens the panel of a node on the canvas. */
export async function openPanel(page: Page, node: string): Promise<void> {
	await getCanvasNode(page, node).dblclick();
	await page.locator(PARAMETERS).waitFor();
}

/** Closes the open panel. */
export async function closePanel(page: Page): Promise<void> {
	await page.locator(CLOSE).first().click();
	await page.locator(PARAMETERS).waitFor({ state: 'hidden' });
}

/** Returns the input of a parameter, by its internal name. */
export function getParameter(page: Page, name: string): Locator {
	return page.locator(`${PARAMETERS} [data-test-id=parameter-input-${name}]`);
}

/** Returns the labels of all visible parameters, from top to bottom. */
export async function getVisibleLabels(page: Page): Promise<string[]> {
	const labels = await page.locator(`${PARAMETERS} [data-test-id=input-label]`).allInnerTexts();
	return labels.map((label) => label.split('\n')[0].trim()).filter((label) => label !== '');
}

/** Replaces the text of a parameter. */
export async function fillParameter(page: Page, name: string, text: string): Promise<void> {
	await getParameter(page, name).locator('input, textarea').first().fill(text);
}

/** Opens the options of a parameter and returns them. */
async function openOptions(page: Page, name: string): Promise<Locator> {
	await getParameter(page, name).locator('input').first().click();
	const options = page.locator('[data-test-id=parameter-input-item]:visible');
	await options.first().waitFor();
	return options;
}

/** Returns the names of all options of a parameter, from top to bottom. */
export async function getOptions(page: Page, name: string): Promise<string[]> {
	const texts = await (await openOptions(page, name)).allInnerTexts();
	await page.keyboard.press('Escape');
	return texts.map((text) => text.trim().split('\n')[0]);
}

/** Selects an option of a parameter. */
export async function selectOption(page: Page, name: string, option: string): Promise<void> {
	await (
		await openOptions(page, name)
	)
		.filter({ has: page.getByText(option, { exact: true }) })
		.click();
}

/** Switches a parameter on or off. */
export async function toggleParameter(page: Page, name: string): Promise<void> {
	await getParameter(page, name).locator('[role=switch], .el-switch').first().click();
}

/** Adds an entry to a collection, both by their labels. n8n's own collections come after those of the node. */
export async function addToCollection(page: Page, add: string, entry: string): Promise<void> {
	await page.locator(`${PARAMETERS} input[placeholder="${add}"]`).first().click();
	await page
		.locator('[data-test-id=collection-parameter-option]:visible')
		.getByText(entry, { exact: true })
		.click();
}

/** Enters a date in a parameter. */
export async function enterDate(page: Page, name: string, date: string): Promise<void> {
	const input = getParameter(page, name).locator('input');
	await input.fill(date);
	await input.press('Enter');
}

/** Opens the list of containers or contacts of a parameter. */
export async function openList(page: Page, name: string): Promise<void> {
	await getParameter(page, name).locator('[data-test-id=rlc-input]').click();
	const entries = page.locator('[data-test-id=rlc-item]:visible');
	await entries.or(page.locator('[data-test-id=rlc-error-container]:visible')).first().waitFor();
}

/** Searches in the open list and returns the entries as soon as there are as many as expected. */
export async function searchList(page: Page, query: string, expected: number): Promise<string[]> {
	await page.locator('[data-test-id=rlc-search]:visible').fill(query);
	const entries = page.locator('[data-test-id=rlc-item]:visible');
	// If the number stays different, the test shows the entries that are there.
	await waitFor(async () => (await entries.count()) === expected, LIST_TIMEOUT_MS).catch(
		() => undefined,
	);
	return await entries.allInnerTexts();
}

/** Returns the text of the selected entry of a closed list. */
export async function getSelectedEntry(page: Page, name: string): Promise<string> {
	const input = getParameter(page, name).locator('[data-test-id=rlc-input]');
	return await input.locator('input').or(input.locator('xpath=self::input')).inputValue();
}

/** Executes the node of the open panel for the first time and waits until it ends. */
export async function executeNode(page: Page): Promise<'success' | 'error'> {
	await page.locator('[data-test-id=node-execute-button]').first().click();
	const success = page.locator(`${OUTPUT} [data-test-id=node-run-status-success]`);
	const danger = page.locator(`${OUTPUT} [data-test-id=node-run-status-danger]`);
	await success.or(danger).first().waitFor();
	return (await success.isVisible()) ? 'success' : 'error';
}

/** Shows the input or the output in the JSON view. */
export async function showJson(page: Page, side: 'input' | 'output'): Promise<void> {
	const panel = page.locator(side === 'input' ? INPUT : OUTPUT);
	await panel.locator('[data-test-id=radio-button-json]').click();
	await panel.locator('[data-test-id=ndv-data-container]').getByText('[').first().waitFor();
}

/** Returns the output in the JSON view, which must be high enough for it. */
export async function getOutputJson(page: Page): Promise<unknown> {
	await showJson(page, 'output');
	const shown = page.locator(`${OUTPUT} [data-test-id=ndv-data-container]`);
	// The view appears before its content.
	const text = await shown.filter({ hasText: /\]\s*$/ }).innerText();
	// Its indentation consists of no-break spaces, which JSON doesn't allow.
	return JSON.parse(text.replace(/\u00a0/g, ' '));
}

/** Returns the error in the output. */
export async function getDisplayedError(
	page: Page,
): Promise<{ message: string; description: string }> {
	const text = async (part: string) =>
		await page.locator(`${OUTPUT} [data-test-id=node-error-${part}]`).innerText();
	return { message: await text('message'), description: await text('description') };
}
