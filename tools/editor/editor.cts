import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Page } from 'playwright-core';
import type { Owner } from '../realN8n/server.cts';
import type { WorkflowJson } from '../realN8n/workflow.cts';
import { openChromium, type WindowOptions } from './chromium.cts';

/** A running n8n and its owner. */
export interface EditorAccess {
	url: string;
	owner: Owner;
}

/** n8n's editor in a browser window, with its owner signed in. */
export interface Editor {
	page: Page;
	/** The console messages of the page since it was opened. */
	console: string[];
	/** Sends a request to the editor's API and returns `data`. @throws with n8n's message on an error status */
	rest<T>(method: string, path: string, body?: unknown): Promise<T>;
	/** Creates a workflow and returns its ID. */
	createWorkflow(workflow: Partial<WorkflowJson>): Promise<string>;
	/** Opens the canvas of a new workflow. */
	openNewWorkflow(): Promise<void>;
	/** Opens the canvas of an existing workflow. */
	openWorkflow(id: string): Promise<void>;
	/** Saves the open workflow and returns what n8n stored. */
	saveWorkflow(): Promise<WorkflowJson>;
	/** Opens the list of credentials. */
	openCredentials(): Promise<void>;
	/**
	 * Does some work. When it fails, saves a screenshot, the console messages, and a trace to open with
	 * `npx playwright-core show-trace`, in files with this path and different extensions.
	 */
	record(path: string, work: () => Promise<void>): Promise<void>;
	close(): Promise<void>;
}

const BROWSER_ID = '7c9a3f5e-3b0d-4e0f-9a54-0d6a5d0c5b1e';
const TIMEOUT_MS = 60_000;
const FIRST_STEP = '[data-test-id=canvas-add-button], [data-test-id=canvas-plus-button]';

/**
 * Opens the editor of a running n8n.
 * @throws when Chromium is missing or the owner can't sign in
 */
export async function openEditor(access: EditorAccess, window: WindowOptions): Promise<Editor> {
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

	const rest = async <T,>(method: string, path: string, body?: unknown): Promise<T> => {
		const response = await context.request.fetch(`${access.url}${path}`, {
			method,
			headers: { 'browser-id': BROWSER_ID },
			data: body,
		});
		const text = await response.text();
		if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${text}`);
		return JSON.parse(text).data as T;
	};
	// Loads the page each time, because links between workflows differ in n8n 1 and 2.
	const open = async (path: string) => await page.goto(`${access.url}${path}`);

	try {
		const { email, password } = access.owner;
		await rest('POST', '/rest/login', { email, emailOrLdapLoginId: email, password });
		// After the login, so that no trace contains the password.
		await context.tracing.start({ screenshots: true, snapshots: true });
	} catch (error) {
		await context.close();
		throw error;
	}

	return {
		page,
		console,
		rest,
		async createWorkflow(workflow) {
			const body = { active: false, ...workflow };
			return (await rest<{ id: string }>('POST', '/rest/workflows', body)).id;
		},
		async openNewWorkflow() {
			await open('/workflow/new');
			await page.locator(FIRST_STEP).first().waitFor();
		},
		async openWorkflow(id) {
			await open(`/workflow/${id}`);
			await page.locator(`[data-test-id=canvas-node] [data-id^="${id}-"]`).first().waitFor();
		},
		async saveWorkflow() {
			const saved = page.waitForResponse(
				(response) =>
					response.request().method() === 'PATCH' && response.url().includes('/rest/workflows/'),
			);
			await page.keyboard.press('Control+s');
			return ((await (await saved).json()) as { data: WorkflowJson }).data;
		},
		async openCredentials() {
			await open('/home/credentials');
			await page.locator('[data-test-id=resources-list-item]').first().waitFor();
		},
		async record(path, work) {
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
