import type { Sandbox, SandboxOptions } from '../../../sandbox/index.cts';
import { startSandbox } from '../../../sandbox/index.cts';
import type { Api } from './api.cts';
import { createApi } from './api.cts';

/**
 * Starts one sandbox for the tests of a file and resets it before each test.
 * Each response that no fault breaks must fit the contract.
 */
export function useSandbox(options: SandboxOptions = {}): { sandbox: Sandbox; api: Api } {
	const running = {} as { sandbox: Sandbox; api: Api };
	beforeAll(async () => {
		running.sandbox = await startSandbox(options);
		running.api = createApi(running.sandbox);
	});
	beforeEach(() => running.sandbox.reset());
	afterEach(() => {
		const { violations } = running.sandbox;
		const found = [...violations];
		violations.clear();
		expect(found).toEqual([]);
	});
	afterAll(async () => {
		await running.api.close();
		await running.sandbox.stop();
	});
	return running;
}
