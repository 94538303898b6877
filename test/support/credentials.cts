import './n8nEnvironment.cts';
import {
	ICredentialsHelper,
	NodeHelpers,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
	type INodeParameters,
	type IRequestOptionsSimplified,
} from 'n8n-workflow';
import type { PackageDirectoryLoader } from 'n8n-core';

/** The name of the package's credential. */
export const credentialName = 'encryptedContainersApi';

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

const unavailable = async (): Promise<never> => {
	throw new Error('An execution must neither read encrypted credentials nor change one');
};

/**
 * A mock of n8n's store of credentials. It returns one decrypted credential and does with the package's credential type
 * what n8n's own helper does.
 */
export class FixedCredentials extends ICredentialsHelper {
	constructor(
		private readonly loader: PackageDirectoryLoader,
		private readonly values: ICredentialDataDecryptedObject,
	) {
		super();
	}

	getParentTypes = () => [];
	isCredentialUsableByNode = () => true;
	preAuthentication = async () => undefined;
	runPreAuthentication = async () => undefined;
	getCredentials = unavailable;
	updateCredentials = unavailable;
	updateCredentialsOauthTokenData = unavailable;

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		requestOptions: IHttpRequestOptions | IRequestOptionsSimplified,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.loader.getCredential(typeName).type;
		if (typeof authenticate !== 'function') throw new Error(`${typeName} has no authenticate()`);
		return await authenticate(credentials, requestOptions as IHttpRequestOptions);
	}

	async getDecrypted(...parameters: Parameters<ICredentialsHelper['getDecrypted']>) {
		const [, , type, , , , resolveValues] = parameters;
		const values = this.withDefaults(type);
		if (resolveValues === undefined) return values;
		const { workflow, node, itemIndex, runIndex, runExecutionData, connectionInputData } =
			resolveValues;
		return workflow.expression.getParameterValue(
			values as INodeParameters,
			runExecutionData,
			runIndex,
			itemIndex,
			node.name,
			connectionInputData,
			'internal',
			{},
		) as ICredentialDataDecryptedObject;
	}

	/** The credential's values with the defaults of missing fields. */
	withDefaults(type: string): ICredentialDataDecryptedObject {
		const properties = this.getCredentialsProperties(type);
		const given = structuredClone(this.values) as never;
		const values = NodeHelpers.getNodeParameters(properties, given, true, false, null, null);
		return values as ICredentialDataDecryptedObject;
	}

	getCredentialsProperties = (type: string) => this.loader.getCredential(type).type.properties;
}
