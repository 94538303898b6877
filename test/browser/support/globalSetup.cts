import type { SandboxAddress } from '../../../sandbox/client.cts';
import { startEditorEnvironment } from '../../../tools/demoService.cts';
import type { ServerAccess } from '../../../tools/realN8n/server.cts';
import { createHandover } from '../../e2e/support/globalSetup.cts';

/** What the global setup starts for all test files. */
export const setup = createHandover<{
	access: ServerAccess;
	/** The sandbox, which runs in the process of the global setup. */
	sandbox: SandboxAddress;
	/** Profile folder of the browser. */
	profile: string;
	/** A PDF that workflows can read. */
	file: string;
}>('BROWSER_SETUP');

let stopEnvironment: (() => Promise<void>) | undefined;

/** Runs once before all tests of the editor: starts the sandbox and a real n8n with the built package. */
export default async function globalSetup(): Promise<void> {
	const { sandbox, server, profile, file, stop } = await startEditorEnvironment();
	stopEnvironment = stop;
	const { url, origin, apiKey, ca, user } = sandbox;
	setup.write({
		access: server.access,
		sandbox: { url, origin, apiKey, ca, user },
		profile,
		file,
	});
}

/** The global teardown runs in the same process. */
export async function stopEditorEnvironment(): Promise<void> {
	await stopEnvironment?.();
}
