import type { Locator, Page } from 'playwright-core';

const PARAMETERS = '[data-test-id=node-parameters]';
const OUTPUT = '[data-test-id=output-panel]';
/** The one of n8n 2, and that of n8n 1. */
const CLOSE = '[data-test-id=ndv-close-button], [data-test-id=back-to-canvas]';
const LIST_WITHIN_MS = 15_000;

/** Opens the panel of a node on the canvas, by its name. */
export async function openPanel(page: Page, node: string): Promise<void> {
	await page.locator(`[data-test-id=canvas-node][data-node-name="${node}"]`).dblclick();
	await page.locator(PARAMETERS).waitFor();
}

/** Closes the panel that is open. */
export async function closePanel(page: Page): Promise<void> {
	await page.locator(CLOSE).first().click();
	await page.locator(PARAMETERS).waitFor({ state: 'hidden' });
}

/** The input of a parameter, by its internal name. */
export function parameter(page: Page, name: string): Locator {
	return page.locator(`${PARAMETERS} [data-test-id=parameter-input-${name}]`);
}

/** The labels of all parameters that are shown, from top to bottom. */
export async function shownLabels(page: Page): Promise<string[]> {
	const labels = await page.locator(`${PARAMETERS} [data-test-id=input-label]`).allInnerTexts();
	return labels.map((label) => label.split('\n')[0].trim()).filter((label) => label !== '');
}

/** Types a text into a parameter, or another text in its place. */
export async function fillIn(page: Page, name: string, text: string): Promise<void> {
	await parameter(page, name).locator('input, textarea').first().fill(text);
}

/** Chooses an entry of a parameter with a list of options. */
export async function chooseOption(page: Page, name: string, option: string): Promise<void> {
	await parameter(page, name).locator('input').first().click();
	await page
		.locator('[data-test-id=parameter-input-item]:visible')
		.filter({ has: page.getByText(option, { exact: true }) })
		.click();
}

/** Switches a parameter that is on or off. */
export async function toggle(page: Page, name: string): Promise<void> {
	await parameter(page, name).locator('[role=switch], .el-switch').first().click();
}

/** Adds an entry to a collection, both by their shown names. */
export async function addToCollection(page: Page, add: string, entry: string): Promise<void> {
	await page.locator(`${PARAMETERS} input[placeholder="${add}"]`).click();
	await page
		.locator('[data-test-id=collection-parameter-option]:visible')
		.getByText(entry, { exact: true })
		.click();
}

/** Picks a day in a parameter with a calendar. */
export async function pickDay(page: Page, name: string, day: string): Promise<void> {
	const input = parameter(page, name).locator('input');
	await input.fill(day);
	await input.press('Enter');
}

/** Opens the list to choose a container or a contact from. */
export async function openList(page: Page, name: string): Promise<void> {
	await parameter(page, name).locator('[data-test-id=rlc-input]').click();
	const entries = page.locator('[data-test-id=rlc-item]:visible');
	await entries.or(page.locator('[data-test-id=rlc-error-container]:visible')).first().waitFor();
}

/** Types into the search of the open list; answers the entries once there are as many as expected. */
export async function searchList(page: Page, words: string, expected: number): Promise<string[]> {
	await page.locator('[data-test-id=rlc-search]:visible').fill(words);
	const entries = page.locator('[data-test-id=rlc-item]:visible');
	const deadline = Date.now() + LIST_WITHIN_MS;
	while ((await entries.count()) !== expected && Date.now() < deadline) {
		await page.waitForTimeout(100);
	}
	return await entries.allInnerTexts();
}

/** What is shown as chosen from a list, once it is closed. */
export async function chosenEntry(page: Page, name: string): Promise<string> {
	const input = parameter(page, name).locator('[data-test-id=rlc-input]');
	return await input.locator('input').or(input.locator('xpath=self::input')).inputValue();
}

/** Runs the node of the open panel, which has not run yet, and waits until it has ended. */
export async function executeNode(page: Page): Promise<'success' | 'error'> {
	await page.locator('[data-test-id=node-execute-button]').first().click();
	const success = page.locator(`${OUTPUT} [data-test-id=node-run-status-success]`);
	const danger = page.locator(`${OUTPUT} [data-test-id=node-run-status-danger]`);
	await success.or(danger).first().waitFor();
	return (await success.isVisible()) ? 'success' : 'error';
}

/** Reads what the JSON view of the output shows. */
export async function outputJson(page: Page): Promise<unknown> {
	await page.locator(`${OUTPUT} [data-test-id=radio-button-json]`).click();
	const shown = page.locator(`${OUTPUT} [data-test-id=ndv-data-container]`);
	// The view is there before its content is.
	const text = await shown.filter({ hasText: /\]\s*$/ }).innerText();
	// It is indented with spaces that JSON does not know.
	return JSON.parse(text.replace(/\u00a0/g, ' '));
}

/** Reads the error that the output shows. */
export async function shownError(page: Page): Promise<{ message: string; description: string }> {
	const text = async (part: string) =>
		await page.locator(`${OUTPUT} [data-test-id=node-error-${part}]`).innerText();
	return { message: await text('message'), description: await text('description') };
}
