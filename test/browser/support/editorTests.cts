import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { openEditor, type WindowOptions } from './editor.cts';
import { cacheFolder } from '../../../tools/project.cts';
import { connectServer } from '../../../tools/realN8n/server.cts';
import { connectService } from '../../../tools/serviceClient.cts';
import {
	CREDENTIAL_TYPE,
	NODE_TYPE,
	START,
	buildWorkflow,
	type NodeOptions,
} from '../../../tools/realN8n/workflow.cts';
import { setup } from './globalSetup.cts';

/** A slow machine needs half a minute to show the editor for the first time. */
const TIMEOUT_MS = 240_000;

/** Folder for screenshots that a person can look at. */
export const screenshots = join(cacheFolder, 'browser');

export type EditorTest = Awaited<ReturnType<typeof openEditorTest>>;

/**
 * Opens the editor for one test file.
 * @returns a replacement for `it` that empties the service before each test. A test that fails saves a
 *   screenshot, the page's console messages and a trace in `screenshots`. This is what the runner of
 *   @playwright/test would add; with jest, these tests share the runner and the setup of all others.
 */
export function editorTests(window: Omit<WindowOptions, 'profile'> = {}) {
	let editorTest: EditorTest;
	jest.setTimeout(TIMEOUT_MS);
	beforeAll(async () => {
		editorTest = await openEditorTest(window);
	});
	beforeEach(async () => await editorTest.service.deleteAll());
	afterAll(async () => {
		await editorTest?.editor.close();
		await editorTest?.service.close();
	});
	return (title: string, test: (editorTest: EditorTest) => Promise<void>) => {
		it(title, async () => {
			const path = join(screenshots, 'failures', toFileName(title));
			await editorTest.editor.record(path, async () => await test(editorTest));
		});
	};
}

async function openEditorTest(window: Omit<WindowOptions, 'profile'>) {
	const { access, profile, file, service: given } = setup.read();
	const { baseUrl, apiKey } = given;
	const service = { ...connectService(given), baseUrl, apiKey };
	const server = await connectServer(access);
	const editor = await openEditor(access, { ...window, profile });
	/** Creates a credential for the service with other data, and returns it in the format of a node. */
	const addCredential = async (name: string, data: { apiKey?: string } = {}) => {
		const values = { baseUrl, apiKey, ...data };
		const id = await server.createCredential({ name, type: CREDENTIAL_TYPE, data: values });
		return { [CREDENTIAL_TYPE]: { id, name } };
	};
	const credentials = await addCredential('Service');
	return {
		editor,
		page: editor.page,
		service,
		server,
		/** A PDF that workflows can read. */
		file,
		credentials,
		addCredential,
		/** One of our nodes, with the credential. */
		node: (
			name: string,
			parameters: INodeParameters,
			more: Partial<NodeOptions> = {},
		): NodeOptions => ({ name, type: NODE_TYPE, credentials, ...more, parameters }),
		/** Opens a new workflow with these nodes after a manual trigger. */
		show: async (nodes: NodeOptions[]) =>
			await editor.openWorkflow(await server.createWorkflow(buildWorkflow([START, ...nodes]))),
	};
}

function toFileName(text: string): string {
	return text.replace(/[^\w]+/g, '-').slice(0, 100);
}
