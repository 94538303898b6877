import type { Sandbox, SandboxOptions } from '../../../sandbox/index.cts';
import { startSandbox } from '../../../sandbox/index.cts';
import { contractFor } from '../../../sandbox/contract/departures.cts';
import type { Api, Exchange } from './api.cts';
import { createApi } from './api.cts';

/**
 * Starts one sandbox for the tests of a file and resets it before each test.
 * Each response that no fault breaks must fit the contract.
 */
export function useSandbox(options: SandboxOptions = {}): { sandbox: Sandbox; api: Api } {
	const running = {} as { sandbox: Sandbox; api: Api };
	const assertContract = ({ method, path, reply }: Exchange) => {
		const { settings, faults } = running.sandbox;
		const contract = contractFor(settings);
		if (faults.list().length > 0 || contract.findOperation(method, path) === undefined) return;
		expect(contract.validateResponse({ method, path }, reply)).toEqual([]);
	};
	beforeAll(async () => {
		running.sandbox = await startSandbox(options);
		running.api = createApi(running.sandbox, assertContract);
	});
	beforeEach(() => running.sandbox.reset());
	afterAll(async () => {
		await running.api.close();
		await running.sandbox.stop();
	});
	return running;
}
