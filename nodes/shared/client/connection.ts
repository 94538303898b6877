import type { ICredentialDataDecryptedObject, ICredentialsDecrypted } from 'n8n-workflow';

import { normalizeBaseUrl } from './baseUrl';

export const CREDENTIAL = 'encryptedContainersApi';

/** Where the service is, and the key to it. */
export interface Connection {
	baseUrl: string;
	apiKey: string;
	/** Whether the certificate of the service is not checked. */
	allowUnauthorizedCerts: boolean;
	/** Passed to each request, which would otherwise load and decrypt the credential again. */
	credential: ICredentialsDecrypted;
}

/** @throws UserError when the base URL can't be used */
export async function getConnection(context: {
	getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
}): Promise<Connection> {
	const data = await context.getCredentials(CREDENTIAL);
	return {
		baseUrl: normalizeBaseUrl(data.baseUrl),
		apiKey: String(data.apiKey).trim(),
		allowUnauthorizedCerts: data.allowUnauthorizedCerts === true,
		credential: { id: '', name: '', type: CREDENTIAL, data },
	};
}
