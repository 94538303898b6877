import type { Sandbox, SandboxOptions } from '../../sandbox/index.cts';
import { startSandbox } from '../../sandbox/index.cts';
import type { Api } from './api.cts';
import { apiOf } from './api.cts';

/** Starts one sandbox for the tests of a file, as it was at its start before each of them. */
export function sandboxOfTests(options: SandboxOptions = {}): { sandbox: Sandbox; api: Api } {
	const running = {} as { sandbox: Sandbox; api: Api };
	beforeAll(async () => {
		running.sandbox = await startSandbox(options);
		running.api = apiOf(running.sandbox);
	});
	beforeEach(() => running.sandbox.reset());
	afterAll(async () => {
		await running.api.close();
		await running.sandbox.stop();
	});
	return running;
}
