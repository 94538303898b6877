import { join } from 'node:path';
import { closePanel, getVisibleLabels, openPanel } from '../../tools/editor/nodePanel.cts';
import { NODE_TYPE } from '../../tools/realN8n/workflow.cts';
import { editorTests, screenshots } from './support/editorTests.cts';

const next = { name: 'Next', type: 'n8n-nodes-base.set', typeVersion: 3.4 };
const INPUT = '[data-test-id=ndv-input-panel]';
const OUTPUT = '[data-test-id=output-panel]';

describe('before a node ran, the editor', () => {
	const inEditor = editorTests();

	inEditor('shows the fields of an output', async ({ page, show, node }) => {
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

	inEditor('warns about a manifest without recipients', async ({ page, show, node }) => {
		const manifestJson = '{ "container": { "name": "A", "drm": { "dynamic": true } } }';
		const parameters = { specifyManifest: 'json', manifestJson };
		await show([node('Encrypt', { resource: 'container', operation: 'encode', ...parameters })]);
		await openPanel(page, 'Encrypt');

		const hint = page.locator(`${OUTPUT} [data-test-id=node-hint]`);
		await hint.first().waitFor();
		const texts = await hint.allInnerTexts();
		expect(texts.map((text) => text.trim())).toEqual([
			'Without recipients, it is up to the service who can open the container.',
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
