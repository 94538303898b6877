import type { Locator, Page } from 'playwright-core';

const WINDOW = '[data-test-id=editCredential-modal]';
const PASSED = 'Connection tested successfully';
const FAILED = 'Couldn’t connect with these settings';

/** The window in which a credential is made or changed. */
export function credentialWindow(page: Page): Locator {
	return page.locator(WINDOW);
}

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
	await credentialWindow(page).waitFor();
}

/** Opens the window for the credential that the node of the open panel has; n8n tests it at once. */
export async function openChosenCredential(page: Page): Promise<void> {
	await page.locator('[data-test-id=credential-edit-button]').click();
	await credentialWindow(page).waitFor();
}

/** Types into the fields of the window; what is not named stays. */
export async function fillCredential(page: Page, values: Record<string, string>): Promise<void> {
	for (const [name, value] of Object.entries(values)) {
		await page.locator(`${WINDOW} [data-test-id=parameter-input-${name}] input`).fill(value);
	}
}

/**
 * Saves the credential, which tests it. After success the window is closed: n8n 2 does so itself.
 * @returns what n8n says of the test; where the window was closed at once, that it passed
 */
export async function saveCredential(page: Page): Promise<string> {
	await page.locator(`${WINDOW} [data-test-id=credential-save-button]`).click();
	const hidden = credentialWindow(page).waitFor({ state: 'hidden' });
	await Promise.race([bannerOf(page).waitFor(), hidden]);
	if (!(await credentialWindow(page).isVisible())) return PASSED;
	const result = await testResult(page);
	if (result.includes(PASSED)) await Promise.race([closeCredential(page), hidden]);
	return result;
}

/** Waits for the result of a credential's test; answers all that n8n says of it. */
export async function testResult(page: Page): Promise<string> {
	await bannerOf(page).waitFor();
	const more = page.locator(WINDOW).getByText('More details');
	if (await more.isVisible()) await more.click();
	return await page
		.locator(`${WINDOW} [data-test-id=node-credentials-config-container]`)
		.innerText();
}

/** Closes the window. */
export async function closeCredential(page: Page): Promise<void> {
	await page.locator(`${WINDOW} .el-dialog__headerbtn`).click();
	await credentialWindow(page).waitFor({ state: 'hidden' });
}

/** What n8n shows of a test, whichever way it went. */
function bannerOf(page: Page): Locator {
	return page
		.locator(WINDOW)
		.getByText(PASSED)
		.or(page.locator(WINDOW).getByText(FAILED))
		.locator('visible=true')
		.first();
}
