import type { Locator, Page } from 'playwright-core';

const SEARCH = '[data-test-id=node-creator-search-bar]';
const ENTRY = '[data-test-id=node-creator-item-name]';

/** Opens the node creator from an empty canvas. */
export async function openNodeCreator(page: Page): Promise<void> {
	if (await page.locator(SEARCH).isVisible()) return;
	await page
		.locator('[data-test-id=canvas-add-button], [data-test-id=canvas-plus-button]')
		.first()
		.click();
	await page.locator(SEARCH).waitFor();
}

/** Searches in the node creator and returns the names of the results, best first. */
export async function searchNodes(page: Page, query: string): Promise<string[]> {
	await page.locator(SEARCH).fill(query);
	// The list changes a moment after the last letter.
	await page.waitForTimeout(700);
	return await page.locator(ENTRY).allInnerTexts();
}

/** Selects a node in the node creator by its name. */
export async function selectNode(page: Page, name: string): Promise<void> {
	await getEntry(page, name).click();
}

/** Selects a trigger or an action of the selected node. */
export async function selectAction(page: Page, name: string): Promise<void> {
	const action = getEntry(page, name);
	const actions = page.locator('[data-test-id=node-creator]').getByText(/^Actions \(\d+\)/);
	await action.or(actions).first().waitFor();
	// The actions are collapsed when the list asks for a trigger.
	if (!(await action.isVisible())) await actions.click();
	await action.click();
}

function getEntry(page: Page, name: string): Locator {
	return page.locator(ENTRY).getByText(name, { exact: true }).first();
}
