import { CREDENTIAL_TYPE, type CredentialJson } from '../tools/realN8n/workflow.cts';

/** This package's credential, in the format of a node. */
export const OWN_CREDENTIAL = { [CREDENTIAL_TYPE]: { id: 'benchOwnKey00001', name: 'Own' } };

/** n8n's Bearer Auth credential, for the HTTP Request node without this package. */
export const BEARER_CREDENTIAL = { httpBearerAuth: { id: 'benchBearer00001', name: 'Bearer' } };

/** Returns both credentials in the format of n8n's import. */
export function createCredentials(service: { url: string; apiKey: string }): CredentialJson[] {
	return [
		{
			...OWN_CREDENTIAL[CREDENTIAL_TYPE],
			type: CREDENTIAL_TYPE,
			data: { baseUrl: service.url, apiKey: service.apiKey },
		},
		{
			...BEARER_CREDENTIAL.httpBearerAuth,
			type: 'httpBearerAuth',
			data: { token: service.apiKey },
		},
	];
}
