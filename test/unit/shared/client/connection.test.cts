import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { Limiter } from '../../../../nodes/shared/client/limiter';
import { createSession } from '../../../../nodes/shared/client/session';

/** The connection of a session with this credential. */
const connect = async (data: ICredentialDataDecryptedObject) => {
	const getCredentials = async (type: string) => {
		expect(type).toBe('encryptedContainersApi');
		return await Promise.resolve(data);
	};
	return (await createSession({ getCredentials }, new Limiter(1))).connection;
};

const baseUrl = 'https://share.example.com/api/v1';

describe('the connection', () => {
	it('is that of the credential, which n8n gets back with each request', async () => {
		const data = { baseUrl: ` ${baseUrl}/ `, apiKey: ' key\n', allowUnauthorizedCerts: true };
		expect(await connect(data)).toEqual({
			baseUrl,
			apiKey: 'key',
			allowUnauthorizedCerts: true,
			credential: { id: '', name: '', type: 'encryptedContainersApi', data },
		});
	});

	it.each([undefined, false, 'true', 1])('checks certificates with %j', async (allowed) => {
		const data = { baseUrl, apiKey: 'key', allowUnauthorizedCerts: allowed };
		expect((await connect(data as never)).allowUnauthorizedCerts).toBe(false);
	});

	it('is not made to a base URL that is not HTTPS', async () => {
		await expect(connect({ baseUrl: 'http://x.example', apiKey: 'key' })).rejects.toThrow(
			'The Base URL in the credential does not start with https://',
		);
	});
});
