import type { Locator, Page } from 'playwright-core';

const SEARCH = '[data-test-id=node-creator-search-bar]';
const ENTRY = '[data-test-id=node-creator-item-name]';

/** Opens the list of nodes to add, from an empty canvas. */
export async function openNodeCreator(page: Page): Promise<void> {
	if (await page.locator(SEARCH).isVisible()) return;
	await page
		.locator('[data-test-id=canvas-add-button], [data-test-id=canvas-plus-button]')
		.first()
		.click();
	await page.locator(SEARCH).waitFor();
}

/** Types into the search of the open list; answers the names found, the best first. */
export async function searchNodes(page: Page, words: string): Promise<string[]> {
	await page.locator(SEARCH).fill(words);
	// The list is filled a moment after the last letter.
	await page.waitForTimeout(700);
	return await page.locator(ENTRY).allInnerTexts();
}

/** Chooses a node of the open list by its name. */
export async function chooseNode(page: Page, name: string): Promise<void> {
	await entry(page, name).click();
}

/** Chooses what the node does, from the open list of its triggers and actions. */
export async function chooseAction(page: Page, name: string): Promise<void> {
	const action = entry(page, name);
	const actions = page.locator('[data-test-id=node-creator]').getByText(/^Actions \(\d+\)/);
	await action.or(actions).first().waitFor();
	// Where a trigger is looked for, the actions are folded.
	if (!(await action.isVisible())) await actions.click();
	await action.click();
}

function entry(page: Page, name: string): Locator {
	return page.locator(ENTRY).getByText(name, { exact: true }).first();
}
