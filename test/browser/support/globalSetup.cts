import { startEditorEnvironment } from '../../../tools/demoService.cts';
import { setup } from './setup.cts';

let stopEnvironment: (() => Promise<void>) | undefined;

/** Runs once before all tests of the editor: starts the sandbox and a real n8n with the built package. */
export default async function globalSetup(): Promise<void> {
	const { sandbox, server, profile, file, stop } = await startEditorEnvironment();
	stopEnvironment = stop;
	const { url, origin, apiKey, ca, user } = sandbox;
	setup.write({
		access: { url: server.url, owner: server.owner },
		sandbox: { url, origin, apiKey, ca, user },
		profile,
		file,
	});
}

/** The global teardown runs in the same process. */
export async function stopEditorEnvironment(): Promise<void> {
	await stopEnvironment?.();
}
