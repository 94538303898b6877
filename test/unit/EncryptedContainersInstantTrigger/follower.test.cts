import type { ITriggerFunctions } from 'n8n-workflow';
import {
	Follower,
	type FollowerOptions,
} from '../../../nodes/EncryptedContainersInstantTrigger/follower';

afterEach(() => jest.restoreAllMocks());

/** @returns the milliseconds that it waited until it told a person of a service that is away */
async function measurePatience(maxRetries: number): Promise<number> {
	let waited = 0;
	let patience = 0;
	const wait = AbortSignal.timeout.bind(AbortSignal);
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
		waited += milliseconds;
		return wait(0);
	});
	const ending = new AbortController();
	const context: Partial<ITriggerFunctions> = {
		getNode: () => ({ name: 'Trigger', parameters: {} }) as never,
		saveFailedExecution: () => {
			patience = waited;
			ending.abort();
		},
	};
	const connect = async () => await Promise.reject(new Error('The service is away'));
	const options: Partial<FollowerOptions> = {
		context: context as ITriggerFunctions,
		source: { connect } as never,
		signal: ending.signal,
		maxRetries,
		isReplaced: async () => await Promise.resolve(false),
	};
	await new Follower(options as FollowerOptions).run();
	return patience;
}

it('tells nobody of an outage of a few seconds, and a person of a long one', async () => {
	const patience = await measurePatience(5);
	expect(patience).toBeGreaterThan(15_000);
	expect(patience).toBeLessThan(30_000);
});

it('tells a person at once where Max Retries is 0', async () => {
	expect(await measurePatience(0)).toBe(0);
});
