import { startEditorEnvironment } from '../../../tools/environment.cts';
import type { ServerAccess } from '../../../tools/realN8n/server.cts';
import { createHandover } from '../../e2e/support/globalSetup.cts';

/** What the global setup starts for all test files. */
export const setup = createHandover<{
	access: ServerAccess;
	/** How to reach the service. */
	service: { baseUrl: string; apiKey: string; userId: string; ca: string };
	/** Profile folder of the browser. */
	profile: string;
	/** A PDF that workflows can read. */
	file: string;
}>('BROWSER_SETUP');

let stopEnvironment: (() => Promise<void>) | undefined;

/** Runs once before all tests of the editor: starts the service and a real n8n with the built package. */
export default async function globalSetup(): Promise<void> {
	const { service, ca, server, profile, file, stop } = await startEditorEnvironment();
	stopEnvironment = stop;
	const { baseUrl, apiKey, userId } = service;
	const access = { baseUrl, apiKey, userId, ca };
	setup.write({ access: server.access, service: access, profile, file });
}

/** The global teardown runs in the same process. */
export async function stopEditorEnvironment(): Promise<void> {
	await stopEnvironment?.();
}
