import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { closePanel, executeNode, getVisibleLabels, openPanel } from './support/nodePanel.cts';
import { NODE_TYPE } from '../../tools/realN8n/workflow.cts';
import { editorTests, screenshots } from './support/editorTests.cts';

const next = { name: 'Next', type: 'n8n-nodes-base.set', typeVersion: 3.4 };
const INPUT = '[data-test-id=ndv-input-panel]';
const OUTPUT = '[data-test-id=output-panel]';

/** The hints above the output. */
async function getHints(page: Page): Promise<string[]> {
	const hints = page.locator(`${OUTPUT} [data-test-id=node-hint]`);
	await hints.first().waitFor();
	return (await hints.allInnerTexts()).map((text) => text.trim());
}

describe('the editor', () => {
	const inEditor = editorTests();

	inEditor('says after a dry run that nothing changed', async (editorTest) => {
		const { page, service, show, node } = editorTest;
		const rules = { dynamic: true, recipients: ['anna@example.com'] };
		const id = await service.addContainer({ name: 'Contract', rules });
		const parameters = { email: 'anna@example.com', dryRun: true };
		const resource = { resource: 'drm', operation: 'removeEverywhere' };
		await show([node('Remove', { ...resource, ...parameters })]);
		await openPanel(page, 'Remove');

		expect(await executeNode(page)).toBe('success');
		const hints = ['This was a dry run. No rules were changed.', '1 container read.'];
		expect(await getHints(page)).toEqual(hints);
		expect(await service.getRules(id)).toEqual(rules);
		await closePanel(page);
	});

	inEditor('shows the fields of an output before a node ran', async ({ page, show, node }) => {
		await show([node('Encrypt', { resource: 'container', operation: 'encode' }), next]);
		await openPanel(page, 'Next');

		const input = page.locator(INPUT);
		await input.getByText('Usually outputs the following fields').waitFor();
		for (const field of ['org_id', 'container', 'uuid']) {
			await input.getByText(field, { exact: true }).waitFor();
		}
		await page.screenshot({ path: join(screenshots, 'output-fields.png') });
		await closePanel(page);
	});

	inEditor('warns about a manifest without rules', async ({ page, show, node }) => {
		const manifestJson = '{ "container": { "name": "A" } }';
		const parameters = { specifyManifest: 'json', manifestJson };
		await show([node('Encrypt', { resource: 'container', operation: 'encode', ...parameters })]);
		await openPanel(page, 'Encrypt');

		expect(await getHints(page)).toEqual([
			"The rules will be sealed into the container permanently. Access can't be revoked then.",
		]);
		await closePanel(page);
	});

	inEditor('shows the tool of an agent with a text', async ({ page, show, node }) => {
		const type = `${NODE_TYPE}Tool`;
		await show([
			node('Share', { resource: 'container', operation: 'encode' }, { type, to: [] }),
			node('End', { resource: 'drm', operation: 'revoke' }, { type, to: [] }),
		]);
		await openPanel(page, 'Share');
		const labels = await getVisibleLabels(page);
		expect(labels).toEqual(expect.arrayContaining(['File Source', 'Text', 'File Name']));
		expect(labels).not.toContain('Container Mode');
		await page.getByText('Let the model define at least').waitFor();
		await page.screenshot({ path: join(screenshots, 'tool.png') });
		await closePanel(page);

		await openPanel(page, 'End');
		await page.getByText('Add a human review step between').waitFor();
		await closePanel(page);
	});
});
