import { selectAction, selectNode, openNodeCreator, searchNodes } from './support/nodePanel.cts';
import { closePanel, getParameter } from './support/nodePanel.cts';
import { getN8nVersion } from '../../tools/realN8n/installN8n.cts';
import { editorTests } from './support/editorTests.cts';

/** n8n 1 shows its own Crypto node first, because it is used often. */
const alwaysBefore = getN8nVersion().name === '1' ? ['Crypto'] : [];

describe('the node creator', () => {
	const inEditor = editorTests();

	inEditor('shows the node first for common search terms', async ({ editor, page }) => {
		const words = [
			...['encrypt', 'DRM', 'secure file sharing', 'share file', 'expiring access'],
			...['revoke access', 'end access', 'share a file with an expiry', 'data room'],
			...['send file securely', 'secure file transfer', 'sync contacts', 'offboarding'],
			...['GDPR', 'audit'],
		];
		await editor.openNewWorkflow();
		await openNodeCreator(page);

		const found: Record<string, string> = {};
		for (const word of words) {
			const names = await searchNodes(page, word);
			found[word] = names.filter((name) => !alwaysBefore.includes(name))[0];
		}

		expect(found).toEqual(Object.fromEntries(words.map((word) => [word, 'Encrypted Containers'])));
	});

	inEditor('adds the node with the selected action', async ({ editor, page }) => {
		await editor.openNewWorkflow();
		await openNodeCreator(page);
		await searchNodes(page, 'encrypt');
		await selectNode(page, 'Encrypted Containers');
		await selectAction(page, 'Revoke access to a container');

		expect(await getParameter(page, 'resource').locator('input').first().inputValue()).toBe(
			'Access Rules (DRM)',
		);
		expect(await getParameter(page, 'operation').locator('input').first().inputValue()).toBe(
			'Revoke Access',
		);
		await closePanel(page);
		const node = page.locator('[data-test-id=canvas-node]', {
			hasText: 'Revoke Access: Access Rules',
		});
		expect(await node.count()).toBe(1);
	});
});
