import {
	closeCredential,
	fillCredential,
	openSelectedCredential,
	openNewCredential,
	saveCredential,
	getTestResult,
} from './support/credentialWindow.cts';
import { closePanel, executeNode, getDisplayedError, openPanel } from './support/nodePanel.cts';
import { getN8nVersion } from '../../tools/realN8n/installN8n.cts';
import { editorTests, type EditorTest } from './support/editorTests.cts';

/** n8n 1 ignores the status of a failed credential test, so it shows none of the credential's messages. */
const REFUSED_KEY = {
	'1': 'Authorization failed - please check your credentials',
	'2': 'The service did not accept this API key.',
};
const WRONG_PATH = {
	'1': 'The resource you are requesting could not be found',
	'2': 'Nothing found here',
};

describe('the credential', () => {
	const inEditor = editorTests();

	const openNode = async ({ show, node, page }: EditorTest) => {
		const parameters = { resource: 'user', operation: 'getMe' };
		await show([node('Me', parameters, { credentials: undefined })]);
		await openPanel(page, 'Me');
	};

	inEditor('is created from the node, and reports success', async (editorTest) => {
		const { page, service } = editorTest;
		await openNode(editorTest);
		await openNewCredential(page);
		await fillCredential(page, { baseUrl: service.baseUrl, apiKey: service.apiKey });
		expect(await saveCredential(page)).toContain('Connection tested successfully');

		await openSelectedCredential(page);
		expect(await getTestResult(page)).toContain('Connection tested successfully');
		await closeCredential(page);
		await closePanel(page);
	});

	inEditor('binds its nodes to the guardrails that are entered in it', async (editorTest) => {
		const { page, service, show, node } = editorTest;
		const text = { fileSource: 'text', textContent: 'A', accessEnds: 'afterDays' };
		const parameters = { resource: 'container', operation: 'encode', name: 'A', ...text };
		const recipients = 'eve@elsewhere.example';
		await show([node('Encrypt', { ...parameters, recipients }, { credentials: undefined })]);
		await openPanel(page, 'Encrypt');
		await openNewCredential(page);
		await fillCredential(page, {
			baseUrl: service.baseUrl,
			apiKey: service.apiKey,
			allowedRecipients: '*@example.com',
			maxAccessDays: '90',
		});
		expect(await saveCredential(page)).toContain('Connection tested successfully');

		expect(await executeNode(page)).toBe('error');
		expect((await getDisplayedError(page)).message).toContain('eve@elsewhere.example');
		expect(await service.getContainers()).toEqual([]);
		await closePanel(page);
	});

	const wrong = {
		'a wrong key': {
			data: ({ service }: EditorTest) => ({ baseUrl: service.baseUrl, apiKey: 'not-a-key' }),
			words: REFUSED_KEY[getN8nVersion().name],
		},
		'a base URL that is not https': {
			data: ({ service }: EditorTest) => ({
				baseUrl: service.baseUrl.replace('https:', 'http:'),
				apiKey: service.apiKey,
			}),
			words: 'The Base URL in the credential does not start with https://',
		},
		'a base URL without the version': {
			data: ({ service }: EditorTest) => ({
				baseUrl: new URL(service.baseUrl).origin,
				apiKey: service.apiKey,
			}),
			words: WRONG_PATH[getN8nVersion().name],
		},
	};

	for (const [what, { data, words }] of Object.entries(wrong)) {
		inEditor(`explains what is wrong with ${what}`, async (editorTest) => {
			const { page } = editorTest;
			await openNode(editorTest);
			await openNewCredential(page);
			await fillCredential(page, data(editorTest));

			expect(await saveCredential(page)).toContain(words);
			await closeCredential(page);
			await closePanel(page);
		});
	}
});
