import type { IExecuteFunctions } from 'n8n-workflow';

import { createNodeHost } from '../../../../nodes/EncryptedContainers/execution/host';

const stored = { id: '1', name: 'Stored' };

/** How often the credential is loaded for two items. */
async function countLoads(additionalData: unknown) {
	const getCredentials = jest.fn(async () => await Promise.resolve({ apiKey: 'key' }));
	const host = createNodeHost({
		additionalData,
		getCredentials,
		getNode: () => ({ parameters: {}, credentials: { encryptedContainersApi: stored } }),
		getInputData: () => [{ json: {} }, { json: {} }],
		getExecuteData: () => ({}),
		getMode: () => 'manual',
	} as unknown as IExecuteFunctions);
	for (const index of [0, 1]) expect(await host.getCredential(index)).toEqual({ apiKey: 'key' });
	return getCredentials.mock.calls.length;
}

const helper = (getDecrypted: () => Promise<object>) => ({ credentialsHelper: { getDecrypted } });

it.each<[string, unknown, number]>([
	['once where no field is an expression', helper(async () => ({ apiKey: 'key' })), 1],
	['for each item where a field is an expression', helper(async () => ({ apiKey: '={{ 1 }}' })), 2],
	[
		'for each item where n8n does not decrypt it',
		helper(async () => await Promise.reject(new Error('no'))),
		2,
	],
	['for each item where n8n hides its data', undefined, 2],
])('a credential is loaded %s', async (_when, additionalData, loads) => {
	expect(await countLoads(additionalData)).toBe(loads);
});
