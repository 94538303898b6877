import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import {
	closeCredential,
	getCredentialWindow,
	openSelectedCredential,
} from './support/credentialWindow.cts';
import { selectNode, openNodeCreator, searchNodes } from './support/nodePanel.cts';
import { closePanel, openPanel } from './support/nodePanel.cts';
import { editorTests, screenshots } from './support/editorTests.cts';

const ICON = 'img[src*="encryptedContainers"]';

/** The used properties of the browser's image element. */
interface DrawnImage {
	src: string;
	naturalWidth: number;
	naturalHeight: number;
	decode(): Promise<void>;
}

/** An icon: its file, whether it was drawn, and its size. */
async function look(icon: Locator): Promise<{ file: string; drawn: boolean; size: number }> {
	await icon.waitFor();
	// Lists slide into view.
	await (await icon.elementHandle())?.waitForElementState('stable');
	const drawing = await icon.evaluate(async (element) => {
		const image = element as unknown as DrawnImage;
		await image.decode();
		return {
			file: image.src.split('/').at(-1) ?? '',
			drawn: image.naturalWidth > 0 && image.naturalHeight > 0,
		};
	});
	// A list can be drawn again in the meantime, so look up the element again.
	const box = await icon.boundingBox();
	return { ...drawing, size: Math.round(box?.width ?? 0) };
}

describe.each([
	['light', 'encryptedContainers.svg'],
	['dark', 'encryptedContainers.dark.svg'],
])('the icons in the %s theme', (theme, file) => {
	const inEditor = editorTests({ dark: theme === 'dark' });

	/** Checks the icon of an entry, and takes a screenshot of its surroundings. */
	const expectIcon = async (where: string, around: Locator, entry = around) => {
		const seen = await look(entry.locator(ICON).locator('visible=true').first());
		const path = join(screenshots, `icon-${theme}-${where}.png`);
		await around.locator('visible=true').first().screenshot({ path });
		expect(seen).toEqual({ file, drawn: true, size: expect.any(Number) });
		expect(seen.size).toBeGreaterThanOrEqual(12);
	};

	inEditor(`are ${theme} in the list of nodes`, async ({ editor, page }) => {
		await editor.openNewWorkflow();
		await openNodeCreator(page);
		await searchNodes(page, 'encrypt');
		const list = page.locator('[data-test-id=node-creator]');
		const entry = page.locator('[data-test-id=item-iterator-item]');
		await expectIcon('search', list, entry.filter({ hasText: 'Encrypted Containers' }));
		await selectNode(page, 'Encrypted Containers');
		await expectIcon('actions', list, entry.filter({ hasText: 'On container created' }));
	});

	inEditor(`are ${theme} on the canvas and in the panel`, async (editorTest) => {
		const { page, show, node } = editorTest;
		await show([node('Me', { resource: 'user', operation: 'getMe' })]);
		await expectIcon('canvas', page.locator('[data-test-id=canvas-node][data-node-name=Me]'));
		await openPanel(page, 'Me');
		await expectIcon('panel', page.locator('[data-test-id=ndv]'));
		await openSelectedCredential(page);
		await expectIcon('credential', getCredentialWindow(page));
		await closeCredential(page);
		await closePanel(page);
	});

	inEditor(`are ${theme} in the list of credentials`, async ({ editor, page }) => {
		await editor.openCredentials();
		await expectIcon('credentials', page.locator('[data-test-id=resources-list-item]').first());
	});
});
