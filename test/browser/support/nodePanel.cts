import type { Page } from 'playwright-core';
import { waitFor } from '../../../tools/processes.cts';

const PARAMETERS = '[data-test-id=node-parameters]';
const OUTPUT = '[data-test-id=output-panel]';
/** In n8n 2 and n8n 1. */
const CLOSE = '[data-test-id=ndv-close-button], [data-test-id=back-to-canvas]';
const ENTRIES = '[data-test-id=rlc-item]:visible';
const LIST_TIMEOUT_MS = 15_000;
const WINDOW = '[data-test-id=editCredential-modal]';
const PASSED = 'Connection tested successfully';
const FAILED = 'Couldn’t connect with these settings';

export async function openPanel(page: Page, node: string): Promise<void> {
	await page.locator(`[data-test-id=canvas-node][data-node-name="${node}"]`).dblclick();
	await page.locator(PARAMETERS).waitFor();
}

export async function closePanel(page: Page): Promise<void> {
	await page.locator(CLOSE).first().click();
	await page.locator(PARAMETERS).waitFor({ state: 'hidden' });
}

/** A parameter of the open panel, by its internal name. */
export const getParameter = (page: Page, name: string) =>
	page.locator(`${PARAMETERS} [data-test-id=parameter-input-${name}]`);

/** The labels of all visible parameters, from top to bottom. */
export async function getVisibleLabels(page: Page): Promise<string[]> {
	const labels = await page.locator(`${PARAMETERS} [data-test-id=input-label]`).allInnerTexts();
	return labels.map((label) => label.split('\n')[0].trim()).filter((label) => label !== '');
}

/** Replaces the text of a parameter. */
export const fillParameter = async (page: Page, name: string, text: string) =>
	await getParameter(page, name).locator('input, textarea').first().fill(text);

export async function selectOption(page: Page, name: string, option: string): Promise<void> {
	await getParameter(page, name).locator('input').first().click();
	const options = page.locator('[data-test-id=parameter-input-item]:visible');
	await options.filter({ has: page.getByText(option, { exact: true }) }).click();
}

/** Switches a parameter on or off. */
export const toggleParameter = async (page: Page, name: string) =>
	await getParameter(page, name).locator('[role=switch], .el-switch').first().click();

/** Adds an entry to a collection, both by their labels. n8n's own collections come after those of the node. */
export async function addToCollection(page: Page, add: string, entry: string): Promise<void> {
	await page.locator(`${PARAMETERS} input[placeholder="${add}"]`).first().click();
	const options = page.locator('[data-test-id=collection-parameter-option]:visible');
	await options.getByText(entry, { exact: true }).click();
}

/** Opens the list of containers or contacts of a parameter. */
export async function openList(page: Page, name: string): Promise<void> {
	await getParameter(page, name).locator('[data-test-id=rlc-input]').click();
	const error = page.locator('[data-test-id=rlc-error-container]:visible');
	await page.locator(ENTRIES).or(error).first().waitFor();
}

export async function chooseFirst(page: Page, name: string): Promise<void> {
	await openList(page, name);
	await page.locator(ENTRIES).first().click();
}

/** Searches in the open list and returns the entries as soon as there are as many as expected. */
export async function searchList(page: Page, query: string, expected: number): Promise<string[]> {
	await page.locator('[data-test-id=rlc-search]:visible').fill(query);
	const entries = page.locator(ENTRIES);
	// If the number stays different, the test shows the entries that are there.
	const isComplete = async () => (await entries.count()) === expected;
	await waitFor(isComplete, LIST_TIMEOUT_MS).catch(() => undefined);
	return await entries.allInnerTexts();
}

/** Executes the node of the open panel for the first time and waits until it ends. */
export async function executeNode(page: Page): Promise<'success' | 'error'> {
	await page.locator('[data-test-id=node-execute-button]').first().click();
	const success = page.locator(`${OUTPUT} [data-test-id=node-run-status-success]`);
	const danger = page.locator(`${OUTPUT} [data-test-id=node-run-status-danger]`);
	await success.or(danger).first().waitFor();
	return (await success.isVisible()) ? 'success' : 'error';
}

/** The output in the JSON view, which must be high enough for it. */
export async function getOutputJson(page: Page): Promise<unknown> {
	await page.locator(`${OUTPUT} [data-test-id=radio-button-json]`).click();
	const shown = page.locator(`${OUTPUT} [data-test-id=ndv-data-container]`);
	// The view appears before its content.
	const text = await shown.filter({ hasText: /\]\s*$/ }).innerText();
	// Its indentation consists of no-break spaces, which JSON doesn't allow.
	return JSON.parse(text.replace(/\u00a0/g, ' '));
}

/** The hints above the output. */
export async function getHints(page: Page): Promise<string[]> {
	const hints = page.locator(`${OUTPUT} [data-test-id=node-hint]`);
	await hints.first().waitFor();
	return (await hints.allInnerTexts()).map((text) => text.trim());
}

/** The error in the output. */
export async function getDisplayedError(page: Page) {
	const text = async (part: string) =>
		await page.locator(`${OUTPUT} [data-test-id=node-error-${part}]`).innerText();
	return { message: await text('message'), description: await text('description') };
}

export const FIRST_STEP = '[data-test-id=canvas-add-button], [data-test-id=canvas-plus-button]';
const SEARCH = '[data-test-id=node-creator-search-bar]';
const ENTRY = '[data-test-id=node-creator-item-name]';

/** Opens the node creator from an empty canvas. */
export async function openNodeCreator(page: Page): Promise<void> {
	if (await page.locator(SEARCH).isVisible()) return;
	await page.locator(FIRST_STEP).first().click();
	await page.locator(SEARCH).waitFor();
}

/** Searches in the node creator and returns the names of the results, best first. */
export async function searchNodes(page: Page, query: string): Promise<string[]> {
	await page.locator(SEARCH).fill(query);
	// The list changes a moment after the last letter.
	await page.waitForTimeout(700);
	return await page.locator(ENTRY).allInnerTexts();
}

const getEntry = (page: Page, name: string) =>
	page.locator(ENTRY).getByText(name, { exact: true }).first();

export const selectNode = async (page: Page, name: string) => await getEntry(page, name).click();

/** Selects a trigger or an action of the selected node. */
export async function selectAction(page: Page, name: string): Promise<void> {
	const action = getEntry(page, name);
	const actions = page.locator('[data-test-id=node-creator]').getByText(/^Actions \(\d+\)/);
	await action.or(actions).first().waitFor();
	// The actions are collapsed when the list asks for a trigger.
	if (!(await action.isVisible())) await actions.click();
	await action.click();
}

/** The window for a new or existing credential. */
const getCredentialWindow = (page: Page) => page.locator(WINDOW);

/** Opens the window for a new credential, from the panel of a node. */
export async function openNewCredential(page: Page): Promise<void> {
	const select = page.locator('[data-test-id=node-credentials-select]');
	const empty = page.locator('[data-test-id=node-credentials-empty-state] button');
	await select.or(empty).first().waitFor();
	if (await empty.isVisible()) {
		await empty.click();
	} else {
		await select.click();
		await page.locator('[data-test-id=node-credentials-select-item-new]:visible').click();
	}
	await getCredentialWindow(page).waitFor();
}

/** Opens the window for the credential of the node in the open panel. n8n then tests it. */
export async function openSelectedCredential(page: Page): Promise<void> {
	await page.locator('[data-test-id=credential-edit-button]').click();
	await getCredentialWindow(page).waitFor();
}

export async function fillCredential(page: Page, values: Record<string, string>): Promise<void> {
	for (const [name, value] of Object.entries(values)) {
		await page.locator(`${WINDOW} [data-test-id=parameter-input-${name}] input`).fill(value);
	}
}

/**
 * Saves the credential, which tests it, and closes the window after a success. n8n 2 closes it itself.
 * @returns n8n's text about the test
 */
export async function saveCredential(page: Page): Promise<string> {
	await page.locator(`${WINDOW} [data-test-id=credential-save-button]`).click();
	const hidden = getCredentialWindow(page).waitFor({ state: 'hidden' });
	await Promise.race([getBanner(page).waitFor(), hidden]);
	if (!(await getCredentialWindow(page).isVisible())) return PASSED;
	const result = await getTestResult(page);
	if (result.includes(PASSED)) await Promise.race([closeCredential(page), hidden]);
	return result;
}

/** Waits for the result of a credential's test and returns n8n's text about it. */
export async function getTestResult(page: Page): Promise<string> {
	await getBanner(page).waitFor();
	const more = page.locator(WINDOW).getByText('More details');
	if (await more.isVisible()) await more.click();
	const result = page.locator(`${WINDOW} [data-test-id=node-credentials-config-container]`);
	return await result.innerText();
}

export async function closeCredential(page: Page): Promise<void> {
	await page.locator(`${WINDOW} .el-dialog__headerbtn`).click();
	await getCredentialWindow(page).waitFor({ state: 'hidden' });
}

/** The banner after a test, whether it passed or failed. */
const getBanner = (page: Page) =>
	page
		.locator(WINDOW)
		.getByText(PASSED)
		.or(page.locator(WINDOW).getByText(FAILED))
		.locator('visible=true')
		.first();
