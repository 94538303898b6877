import './n8nEnvironment.cts';
import {
	NodeHelpers,
	type ICredentialDataDecryptedObject,
	type ICredentialsHelper,
	type IHttpRequestOptions,
	type INodeParameters,
} from 'n8n-workflow';
import type { PackageDirectoryLoader } from 'n8n-core';

/** The name of the package's credential. */
export const credentialName = 'encryptedContainersApi';

/** The node's reference to its credential in a saved workflow. */
export const credentialReference = { [credentialName]: { id: 'credential-1', name: 'Test' } };

export interface ApiCredentials {
	baseUrl: string;
	apiKey: string;
	allowUnauthorizedCerts?: boolean;
}

/** The credential of an execution unless the test sets another. */
export const defaultCredentials: ApiCredentials = {
	baseUrl: 'https://share.example.com/api/v1',
	apiKey: 'test-key-3f9c1d5e7a2b4c6d',
};

/**
 * In place of n8n's store of credentials. It returns one decrypted credential, and does with the package's credential
 * type what n8n's own helper does. An execution needs nothing else of that.
 */
export function fixCredentials(
	loader: PackageDirectoryLoader,
	given: Partial<ApiCredentials> = {},
): Pick<ICredentialsHelper, 'getDecrypted'> {
	const getType = (type: string) => loader.getCredential(type).type;
	const getCredentialsProperties = (type: string) => getType(type).properties;
	/** With the defaults of missing fields. */
	const complete = (type: string) => {
		const stored = { ...defaultCredentials, ...given } as never;
		const properties = getCredentialsProperties(type);
		const values = NodeHelpers.getNodeParameters(properties, stored, true, false, null, null);
		return structuredClone(values) as ICredentialDataDecryptedObject;
	};
	const helper = {
		getCredentialsProperties,
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		preAuthentication: async () => undefined,
		async authenticate(
			credentials: ICredentialDataDecryptedObject,
			type: string,
			request: IHttpRequestOptions,
		) {
			const { authenticate } = getType(type);
			if (typeof authenticate !== 'function') throw new Error(`${type} has no authenticate()`);
			return await authenticate(credentials, request);
		},
		async getDecrypted(...parameters: Parameters<ICredentialsHelper['getDecrypted']>) {
			const [, , type, , , , resolve] = parameters;
			const values = complete(type);
			if (resolve === undefined) return values;
			return resolve.workflow.expression.getParameterValue(
				...([values as INodeParameters, resolve.runExecutionData, resolve.runIndex] as const),
				...([resolve.itemIndex, resolve.node.name, resolve.connectionInputData] as const),
				'internal',
				{},
			) as ICredentialDataDecryptedObject;
		},
	};
	return helper;
}
