import type { ICredentialDataDecryptedObject, ICredentialsDecrypted } from 'n8n-workflow';

import { normalizeBaseUrl } from './baseUrl';
import { CREDENTIAL } from './client';

/** Where the service is, and the key to it. Lives as long as the run that uses it. */
export interface Connection {
	baseUrl: string;
	apiKey: string;
	/** The credential as it was read: handed along with each request, which would otherwise read and decrypt it anew. */
	credential: ICredentialsDecrypted;
}

/**
 * Reads the credential.
 *
 * @param context any n8n context that may use it
 * @returns the connection, with the base URL in its one form
 * @throws UserError when the base URL cannot be used
 */
export async function readConnection(context: {
	getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
}): Promise<Connection> {
	const data = await context.getCredentials(CREDENTIAL);
	return {
		baseUrl: normalizeBaseUrl(data.baseUrl),
		apiKey: String(data.apiKey).trim(),
		credential: { id: '', name: '', type: CREDENTIAL, data },
	};
}
