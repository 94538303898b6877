import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import type { Page } from 'playwright-core';
import { connectSandbox, type SandboxClient } from '../../../sandbox/client.cts';
import type { WindowOptions } from '../../../tools/editor/chromium.cts';
import { openEditor, type Editor } from '../../../tools/editor/editor.cts';
import { cacheFolder } from '../../../tools/paths.cts';
import {
	CREDENTIAL_TYPE,
	NODE_TYPE,
	workflowOf,
	type NodeOptions,
} from '../../../tools/realN8n/workflow.cts';
import { stage } from './stage.cts';

/** A slow machine takes half a minute to show the editor for the first time. */
const PATIENCE_MS = 240_000;

/** Where the tests leave pictures for a person to look at. */
export const pictures = join(cacheFolder, 'browser');

export interface Scene {
	editor: Editor;
	page: Page;
	sandbox: SandboxClient;
	/** A PDF that workflows may read. */
	file: string;
	/** A credential that works, as a node names it. */
	credentials: Record<string, { id: string; name: string }>;
	/** Stores a credential for the sandbox with other data; answers how a node names it. */
	addCredential(
		name: string,
		data?: { baseUrl?: string; apiKey?: string },
	): Promise<Scene['credentials']>;
	/** One of our nodes, with the credential. */
	node(name: string, parameters: INodeParameters, more?: Partial<NodeOptions>): NodeOptions;
	/** Shows the canvas of a new workflow of these nodes after a manual trigger named Start. */
	show(nodes: NodeOptions[]): Promise<void>;
}

/**
 * Opens the editor for one test file.
 * @returns what takes the place of `it`: each test gets the scene with the sandbox in its initial
 *   state, and one that fails leaves a picture of the window and the page's console in `pictures`
 */
export function editorTests(window: Omit<WindowOptions, 'profile'> = {}) {
	let scene: Scene;
	jest.setTimeout(PATIENCE_MS);
	beforeAll(async () => {
		scene = await openScene(window);
	});
	beforeEach(async () => await scene.sandbox.reset());
	afterAll(async () => {
		await scene?.editor.close();
		await scene?.sandbox.close();
	});
	return (promise: string, test: (scene: Scene) => Promise<void>) => {
		it(promise, async () => {
			try {
				await test(scene);
			} catch (error) {
				await scene.editor.save(join(pictures, 'failures', `${fileName(promise)}.png`));
				throw error;
			}
		});
	};
}

async function openScene(window: Omit<WindowOptions, 'profile'>): Promise<Scene> {
	const { access, profile, file, sandbox: where } = stage.read();
	const sandbox = await connectSandbox(where);
	const editor = await openEditor(access, { ...window, profile });
	const addCredential: Scene['addCredential'] = async (name, data = {}) => {
		const { id } = await editor.rest<{ id: string }>('POST', '/rest/credentials', {
			name,
			type: CREDENTIAL_TYPE,
			data: { baseUrl: sandbox.url, apiKey: sandbox.apiKey, ...data },
		});
		return { [CREDENTIAL_TYPE]: { id, name } };
	};
	const credentials = await addCredential('Sandbox');
	return {
		editor,
		page: editor.page,
		sandbox,
		file,
		credentials,
		addCredential,
		node: (name, parameters, more = {}) => ({
			name,
			type: NODE_TYPE,
			credentials,
			...more,
			parameters,
		}),
		async show(nodes) {
			const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };
			await editor.openWorkflow(await editor.createWorkflow(workflowOf([start, ...nodes])));
		},
	};
}

function fileName(text: string): string {
	return text.replace(/[^\w]+/g, '-').slice(0, 100);
}
