import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { getConnection } from '../../../../nodes/shared/client/connection';

const baseUrl = 'https://share.example.com/api/v1';

const connect = async (data: ICredentialDataDecryptedObject) =>
	await getConnection({
		async getCredentials(type) {
			expect(type).toBe('encryptedContainersApi');
			return await Promise.resolve(data);
		},
	});

it('a connection is that of the credential, which n8n gets back with each request', async () => {
	const data = { baseUrl: ` ${baseUrl}/ `, apiKey: ' key\n', allowUnauthorizedCerts: true };
	expect(await connect(data)).toEqual({
		baseUrl,
		apiKey: 'key',
		allowUnauthorizedCerts: true,
		credential: { id: '', name: '', type: 'encryptedContainersApi', data },
	});
});

it.each([undefined, false, 'true', 1])(
	'a connection checks certificates with %j',
	async (value) => {
		const data = { baseUrl, apiKey: 'key', allowUnauthorizedCerts: value };
		expect((await connect(data as never)).allowUnauthorizedCerts).toBe(false);
	},
);

it('no connection is made to a base URL that is not HTTPS', async () => {
	await expect(connect({ baseUrl: 'http://x.example', apiKey: 'key' })).rejects.toThrow(
		'does not start with https://',
	);
});
