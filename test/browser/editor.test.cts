import { getN8nVersion } from '../../tools/realN8n/installN8n.cts';
import { buildWorkflow, TRIGGER_TYPE } from '../../tools/realN8n/workflow.cts';
import { editorTests, type EditorTest } from './support/editor.cts';
import {
	closeCredential,
	closePanel,
	executeNode,
	fillCredential,
	getDisplayedError,
	getOutputJson,
	getParameter,
	getTestResult,
	openNewCredential,
	openNodeCreator,
	openPanel,
	openSelectedCredential,
	saveCredential,
	searchNodes,
	selectAction,
	selectNode,
	selectOption,
} from './support/nodePanel.cts';

const { name: version } = getN8nVersion();
/** n8n 1 shows its own Crypto node first, because it is used often. */
const alwaysBefore = version === '1' ? ['Crypto'] : [];
const inEditor = editorTests();

describe('the node creator', () => {
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

		const parameters = { resource: 'Access Rules (DRM)', operation: 'Revoke Access' };
		for (const [name, value] of Object.entries(parameters)) {
			expect(await getParameter(page, name).locator('input').first().inputValue()).toBe(value);
		}
		await closePanel(page);
		const title = 'Revoke Access: Access Rules';
		await page.locator('[data-test-id=canvas-node]', { hasText: title }).waitFor();
	});

	inEditor('adds the trigger with the selected event', async ({ editor, page }) => {
		await editor.openNewWorkflow();
		await openNodeCreator(page);
		await searchNodes(page, 'encrypt');
		await selectNode(page, 'Encrypted Containers');
		await selectAction(page, 'On contact created');

		expect(await getParameter(page, 'event').locator('input').inputValue()).toBe('Contact Created');
		await closePanel(page);
	});
});

inEditor('the trigger shows a sample when it is tested', async (editorTest) => {
	const { editor, page, service, server, credentials } = editorTest;
	await service.addContainer({ name: 'Contract' });
	await service.addContact('anna@example.com');
	const samples = { 'Contact Created': 'anna@example.com', 'Container Created': 'Contract' };
	const parameters = { event: 'containerDeleted' };
	const nodes = Object.keys(samples).map((name) => ({
		...{ name, type: TRIGGER_TYPE, credentials, parameters, to: [] },
	}));
	await editor.openWorkflow(await server.createWorkflow(buildWorkflow(nodes)));

	for (const [event, sample] of Object.entries(samples)) {
		await openPanel(page, event);
		await selectOption(page, 'event', event);
		expect(await executeNode(page)).toBe('success');
		expect(JSON.stringify(await getOutputJson(page))).toContain(sample);
		await closePanel(page);
	}
});

describe('the credential', () => {
	const PASSED = 'Connection tested successfully';
	const text = { fileSource: 'text', textContent: 'A', accessEnds: 'afterDays' };
	/** Opens a node for a stranger, and a new credential in it. */
	const openCredential = async ({ show, node, page }: EditorTest) => {
		const encode = { resource: 'container', operation: 'encode', name: 'A', ...text };
		const recipients = 'eve@elsewhere.example';
		await show([node('Encrypt', { ...encode, recipients }, { credentials: undefined })]);
		await openPanel(page, 'Encrypt');
		await openNewCredential(page);
	};

	inEditor('is created from the node, and binds it to the guardrails in it', async (editorTest) => {
		const { page, service } = editorTest;
		const { baseUrl, apiKey } = service;
		await openCredential(editorTest);
		const guardrails = { allowedRecipients: '*@example.com', maxAccessDays: '90' };
		await fillCredential(page, { baseUrl, apiKey, ...guardrails });
		expect(await saveCredential(page)).toContain(PASSED);

		await openSelectedCredential(page);
		expect(await getTestResult(page)).toContain(PASSED);
		await closeCredential(page);
		expect(await executeNode(page)).toBe('error');
		expect((await getDisplayedError(page)).message).toContain('eve@elsewhere.example');
		expect(await service.getContainers()).toEqual([]);
		await closePanel(page);
	});

	/** n8n 1 ignores the status of a failed credential test, so it shows none of the credential's messages. */
	const refusedKey = {
		'1': 'Authorization failed - please check your credentials',
		'2': 'The service did not accept this API key.',
	};

	inEditor('explains what is wrong with a key or a base URL', async (editorTest) => {
		const { page, service } = editorTest;
		const { baseUrl, apiKey } = service;
		const http = baseUrl.replace('https:', 'http:');
		const noHttps = 'The Base URL in the credential does not start with https://';
		for (const [data, words] of [
			[{ baseUrl, apiKey: 'not-a-key' }, refusedKey[version]],
			[{ baseUrl: http, apiKey }, noHttps],
		] as const) {
			await openCredential(editorTest);
			await fillCredential(page, data);

			expect(await saveCredential(page)).toContain(words);
			await closeCredential(page);
			await closePanel(page);
		}
	});
});
