import './environment.cts';
import {
	ICredentialsHelper,
	isExpression,
	NodeHelpers,
	type ICredentialDataDecryptedObject,
	type ICredentialsExpressionResolveValues,
	type ICredentialType,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
	type INodeParameters,
	type INodeProperties,
	type IRequestOptionsSimplified,
	type IWorkflowExecuteAdditionalData,
	type Workflow,
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

type Target = Record<string, Record<string, unknown> | undefined>;

/**
 * A mock of n8n's store of credentials. It returns one decrypted credential and does with the
 * credential's type what n8n's own helper does (authenticate as function or object, defaults of
 * empty fields, preAuthentication of types that have an expirable field).
 */
export class FixedCredentials extends ICredentialsHelper {
	/** How often the decrypted credential was requested. */
	decryptions = 0;

	constructor(
		private readonly loader: PackageDirectoryLoader,
		private readonly values: ICredentialDataDecryptedObject,
	) {
		super();
	}

	private typeOf(name: string): ICredentialType {
		return this.loader.getCredential(name).type;
	}

	getParentTypes(name: string): string[] {
		return (this.typeOf(name).extends ?? []).flatMap((parent) => [
			parent,
			...this.getParentTypes(parent),
		]);
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		requestOptions: IHttpRequestOptions | IRequestOptionsSimplified,
		workflow?: Workflow,
		node?: INode,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.typeOf(typeName);
		const options = requestOptions as IHttpRequestOptions;
		if (typeof authenticate === 'function') return await authenticate(credentials, options);
		if (authenticate === undefined) return options;
		if (workflow === undefined || node === undefined) {
			throw new Error('A declarative authenticate needs a workflow and a node');
		}
		const resolve = (value: unknown) =>
			isExpression(value)
				? String(
						workflow.expression.getSimpleParameterValue(
							node,
							value,
							'internal',
							{ $credentials: credentials },
							undefined,
							'',
						) ?? '',
					)
				: value;
		options.headers ??= {};
		const target = options as unknown as Target;
		for (const [part, entries] of Object.entries(authenticate.properties)) {
			const values = (target[part] ??= {});
			for (const [key, value] of Object.entries(entries as Record<string, unknown>)) {
				values[String(resolve(key))] = resolve(value);
			}
		}
		return options;
	}

	async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		_node: INode,
		credentialsExpired: boolean,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		const type = this.typeOf(typeName);
		const expirable = type.properties.find((property) => property.typeOptions?.expirable === true);
		if (expirable === undefined || type.preAuthentication === undefined) return undefined;
		if (credentials[expirable.name] !== '' && !credentialsExpired) return undefined;
		const output = await type.preAuthentication.call(helpers, credentials);
		return Object.assign(credentials, output);
	}

	async runPreAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		return (await this.typeOf(typeName).preAuthentication?.call(helpers, credentials)) as
			ICredentialDataDecryptedObject | undefined;
	}

	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		_nodeCredentials: INodeCredentialsDetails,
		type: string,
		_mode?: unknown,
		_executeData?: unknown,
		_raw?: boolean,
		resolveValues?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		this.decryptions += 1;
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
		const values = NodeHelpers.getNodeParameters(
			properties,
			structuredClone(this.values) as never,
			true,
			false,
			null,
			null,
		);
		return values as ICredentialDataDecryptedObject;
	}

	getCredentialsProperties(type: string): INodeProperties[] {
		return this.typeOf(type).properties;
	}

	async getCredentials(): Promise<never> {
		throw new Error('Encrypted credentials are not kept in tests');
	}

	async updateCredentials(): Promise<never> {
		throw new Error('An execution must not change a credential');
	}

	async updateCredentialsOauthTokenData(): Promise<never> {
		throw new Error('An execution must not change a credential');
	}
}
