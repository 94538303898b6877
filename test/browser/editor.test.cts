import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
	closePanel,
	executeNode,
	getOutputJson,
	getParameter,
	getVisibleLabels,
	openNodeCreator,
	openPanel,
	searchNodes,
	selectAction,
	selectNode,
	selectOption,
} from './support/nodePanel.cts';
import { getN8nVersion } from '../../tools/realN8n/installN8n.cts';
import { buildWorkflow, NODE_TYPE, TRIGGER_TYPE } from '../../tools/realN8n/workflow.cts';
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

describe('the trigger in the editor', () => {
	const inEditor = editorTests();

	inEditor('is found by its event, and added with it', async ({ editor, page }) => {
		await editor.openNewWorkflow();
		await openNodeCreator(page);
		expect(await searchNodes(page, 'encrypt')).toContain('Encrypted Containers');
		await selectNode(page, 'Encrypted Containers');
		await selectAction(page, 'On contact created');

		expect(await getParameter(page, 'event').locator('input').inputValue()).toBe('Contact Created');
		await closePanel(page);
	});

	inEditor('shows a sample when it is tested', async (editorTest) => {
		const { editor, page, service, server, credentials } = editorTest;
		await service.addContainer({ name: 'Contract' });
		await service.addContact('anna@example.com');
		const samples = { 'Contact Created': 'anna@example.com', 'Container Created': 'Contract' };
		const nodes = Object.keys(samples).map((name, index) => ({
			id: name,
			name,
			type: TRIGGER_TYPE,
			typeVersion: 1,
			position: [0, 200 * index] as [number, number],
			parameters: { event: 'containerDeleted' },
			credentials,
		}));
		await editor.openWorkflow(await server.createWorkflow({ ...buildWorkflow([]), nodes }));

		for (const [event, sample] of Object.entries(samples)) {
			await openPanel(page, event);
			await selectOption(page, 'event', event);
			expect(await executeNode(page)).toBe('success');
			expect(JSON.stringify(await getOutputJson(page))).toContain(sample);
			await closePanel(page);
		}
	});
});

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
