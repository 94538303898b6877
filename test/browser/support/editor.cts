import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { findChromium } from '../../support/programs.cts';
import { cacheFolder } from '../../../tools/project.cts';
import { connectServer, type ServerAccess } from '../../../tools/realN8n/server.cts';
import {
	buildWorkflow,
	CREDENTIAL_TYPE,
	NODE_TYPE,
	START,
	type NodeOptions,
	type WorkflowJson,
} from '../../../tools/realN8n/workflow.cts';
import { connectService } from '../../../tools/serviceClient.cts';
import { setup } from './globalSetup.cts';
import { FIRST_STEP } from './nodePanel.cts';

/** n8n's editor in a browser window, with its owner signed in. */
export type Editor = Awaited<ReturnType<typeof openEditor>>;

const BROWSER_ID = '7c9a3f5e-3b0d-4e0f-9a54-0d6a5d0c5b1e';
const TIMEOUT_MS = 60_000;
/** A slow machine needs half a minute to show the editor for the first time. */
const TEST_TIMEOUT_MS = 240_000;
const FAILURES = join(cacheFolder, 'browser', 'failures');

/** The editor sends requests to the internet. Here they fail at once instead of after a timeout. */
const OFFLINE = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1';

export interface WindowOptions {
	/** Folder of the browser's profile. Its cache makes the next window open faster. */
	profile: string;
	width?: number;
	height?: number;
	/** Device pixels per CSS pixel; 1 by default. */
	scale?: number;
	dark?: boolean;
}

async function openChromium(options: WindowOptions) {
	// tsx can't load the library with a static import, which it compiles to require().
	const { chromium } = await import('playwright-core');
	return await chromium.launchPersistentContext(options.profile, {
		executablePath: findChromium(),
		args: ['--disable-gpu', OFFLINE],
		viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
		deviceScaleFactor: options.scale ?? 1,
		colorScheme: options.dark ? 'dark' : 'light',
		locale: 'en-GB',
		// The service makes its own certificate.
		ignoreHTTPSErrors: true,
		timezoneId: 'UTC',
	});
}

/**
 * Opens the editor of a running n8n. The profile keeps who signed in.
 * @throws when Chromium is missing or the owner can't sign in
 */
export async function openEditor({ url, owner }: ServerAccess, window: WindowOptions) {
	const context = await openChromium(window);
	context.setDefaultTimeout(TIMEOUT_MS);
	const storage = { 'n8n-browserId': BROWSER_ID, N8N_THEME: window.dark ? 'dark' : 'light' };
	await context.addInitScript({
		content: `Object.assign(localStorage, ${JSON.stringify(storage)})`,
	});
	const page = context.pages()[0] ?? (await context.newPage());
	const console: string[] = [];
	page.on('console', (message) => console.push(`${message.type()}: ${message.text()}`));
	page.on('pageerror', (error) => console.push(`uncaught: ${error.stack ?? error.message}`));
	// Loads the page each time, because links between workflows differ in n8n 1 and 2.
	const open = async (path: string, element: string) => {
		await page.goto(url + path);
		await page.locator(element).first().waitFor();
	};
	const [path, headers] = [`${url}/rest/login`, { 'browser-id': BROWSER_ID }];
	const known = await context.request.get(path, { headers });
	const data = { ...owner, emailOrLdapLoginId: owner.email };
	const login = known.ok() ? known : await context.request.post(path, { headers, data });
	if (!login.ok()) {
		await context.close();
		throw new Error(`The owner can't sign in: ${login.status()}`);
	}
	// After the login, so that no trace contains the password.
	await context.tracing.start({ screenshots: true, snapshots: true });

	return {
		page,
		openNewWorkflow: async () => await open('/workflow/new', FIRST_STEP),
		openWorkflow: async (id: string) =>
			await open(`/workflow/${id}`, `[data-test-id=canvas-node] [data-id^="${id}-"]`),
		openCredentials: async () =>
			await open('/home/credentials', '[data-test-id=resources-list-item]'),
		/** Saves the open workflow and returns what n8n stored. */
		async saveWorkflow() {
			const saved = page.waitForResponse(
				(response) =>
					response.request().method() === 'PATCH' && response.url().includes('/rest/workflows/'),
			);
			await page.keyboard.press('Control+s');
			return ((await (await saved).json()) as { data: WorkflowJson }).data;
		},
		/**
		 * Does some work. When it fails, saves a screenshot, the console messages, and a trace to open with
		 * `npx playwright-core show-trace`, in files with this path and different extensions.
		 */
		async record(path: string, work: () => Promise<void>) {
			const { tracing } = context;
			await tracing.startChunk();
			try {
				await work();
				await tracing.stopChunk();
			} catch (error) {
				await mkdir(dirname(path), { recursive: true });
				await tracing.stopChunk({ path: `${path}.trace.zip` });
				await writeFile(`${path}.console.log`, console.join('\n'));
				await page.screenshot({ path: `${path}.png` });
				throw error;
			}
		},
		close: async () => await context.close(),
	};
}

export type EditorTest = Awaited<ReturnType<typeof openEditorTest>>;

/**
 * Opens the editor for one test file.
 * @returns a replacement for `it` that empties the service before each test. A test that fails saves a
 *   screenshot, the page's console messages and a trace in FAILURES. This is what the runner of
 *   @playwright/test would add; with jest, these tests share the runner and the setup of all others.
 */
export function editorTests(window: Omit<WindowOptions, 'profile'> = {}) {
	let editorTest: EditorTest;
	jest.setTimeout(TEST_TIMEOUT_MS);
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
			const path = join(FAILURES, toFileName(title));
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
	const name = 'Service';
	const data = { baseUrl, apiKey };
	const id = await server.createCredential({ name, type: CREDENTIAL_TYPE, data });
	const credentials = { [CREDENTIAL_TYPE]: { id, name } };
	return {
		editor,
		page: editor.page,
		service,
		server,
		/** A PDF that workflows can read. */
		file,
		credentials,
		/** One of our nodes, with the credential. */
		node: (
			called: string,
			parameters: INodeParameters,
			more: Partial<NodeOptions> = {},
		): NodeOptions => ({ name: called, type: NODE_TYPE, credentials, ...more, parameters }),
		/** Opens a new workflow with these nodes after a manual trigger. */
		show: async (nodes: NodeOptions[]) =>
			await editor.openWorkflow(await server.createWorkflow(buildWorkflow([START, ...nodes]))),
	};
}

function toFileName(text: string): string {
	return text.replace(/[^\w]+/g, '-').slice(0, 100);
}
