import { continuesOnErrors } from '../../../../nodes/EncryptedContainers/execution/errorItems';
import type { Host } from '../../../../nodes/EncryptedContainers/execution/host';

const setUp = (settings: object, { isCalledByAgent = true, continues = false } = {}) =>
	({
		context: { continueOnFail: () => continues },
		node: { type: 'encryptedContainersTool', ...settings },
		isCalledByAgent,
	}) as unknown as Host;

/** At which of its tries a model hears of an error: only the last one is not made again. */
it.each<[object, number]>([
	[{ retryOnFail: false }, 1],
	[{ retryOnFail: true }, 3],
	[{ retryOnFail: true, maxTries: 1 }, 2],
	[{ retryOnFail: true, maxTries: 4 }, 4],
	[{ retryOnFail: true, maxTries: 9 }, 5],
])('a tool with %j tells the model of an error at its try %i', (settings, last) => {
	const tries = [1, 2, 3, 4, 5];
	const told = tries.find((count) => continuesOnErrors(setUp(settings), count));
	expect(told).toBe(last);
});

it('a tool tells of each error where n8n itself calls it, and a node that is none where it continues', () => {
	const settings = { retryOnFail: true };
	expect(continuesOnErrors(setUp(settings, { isCalledByAgent: false }), 1)).toBe(true);
	const type = 'encryptedContainers';
	expect(continuesOnErrors(setUp({ type }), 9)).toBe(false);
	expect(continuesOnErrors(setUp({ type, ...settings }, { continues: true }), 1)).toBe(true);
});
