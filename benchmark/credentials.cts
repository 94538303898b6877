import { CREDENTIAL_TYPE, type CredentialJson } from '../tools/realN8n/workflow.cts';

/** This package's credential, as a node names it. */
export const OWN_CREDENTIAL = { [CREDENTIAL_TYPE]: { id: 'benchOwnKey00001', name: 'Own' } };

/** n8n's own credential for a bearer key, which the HTTP Request node is used with where this package is not there. */
export const BEARER_CREDENTIAL = { httpBearerAuth: { id: 'benchBearer00001', name: 'Bearer' } };

/** Both credentials as n8n imports them. */
export function credentialsFor(service: { url: string; apiKey: string }): CredentialJson[] {
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
