import type { Page } from 'playwright-core';

const WINDOW = '[data-test-id=editCredential-modal]';
const PASSED = 'Connection tested successfully';
const FAILED = 'Couldn’t connect with these settings';

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
