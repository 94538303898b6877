import '../../tools/engine/environment.cts';
import { ExecuteContext } from 'n8n-core';
import {
	createEmptyRunExecutionData,
	type IDataObject,
	type IHttpRequestMethods,
	type IRequestOptions,
} from 'n8n-workflow';
import { credentialName, type ApiCredentials } from '../../tools/engine/credentials.cts';
import { singleNode } from './definition.cts';
import { withLog } from './log.cts';

export interface HttpRequestNodeOptions {
	method?: IHttpRequestMethods;
	url: string;
	headers?: IDataObject;
	/** Sent as JSON. */
	body?: IDataObject;
	/** The node's option "Follow Redirects", on by default as in the node. */
	followRedirects?: boolean;
	/** The behavior of versions before 4.4, and an option of later ones. */
	sendCredentialsOnCrossOriginRedirect?: boolean;
	/** The node's options "Ignore SSL Issues" and "SSL Certificates". */
	ignoreSslIssues?: boolean;
	certificates?: IDataObject;
	credentials?: Partial<ApiCredentials>;
	packageDirectory?: string;
}

export interface HttpRequestNodeResult {
	response?: { statusCode: number; headers: IDataObject; body: unknown };
	error?: Error;
	log: string[];
}

function requestOptions(options: HttpRequestNodeOptions): IRequestOptions {
	const { method = 'GET', url, headers = {}, body, followRedirects = true } = options;
	const request: IRequestOptions = {
		headers,
		method,
		uri: url,
		gzip: true,
		rejectUnauthorized: !(options.ignoreSslIssues ?? false),
		...(options.certificates ? { agentOptions: options.certificates } : {}),
		followRedirect: followRedirects,
		followAllRedirects: followRedirects,
		resolveWithFullResponse: true,
		sendCredentialsOnCrossOriginRedirect: options.sendCredentialsOnCrossOriginRedirect ?? true,
		timeout: 300_000,
		json: true,
	};
	if (body !== undefined) request.body = body;
	return request;
}

/**
 * Sends a request as n8n's HTTP Request node does with the package's credential as "Predefined
 * Credential Type", which is the other way for the API key to leave n8n. Does not throw.
 */
export async function runHttpRequestNodeStyle(
	options: HttpRequestNodeOptions,
): Promise<HttpRequestNodeResult> {
	const single = await singleNode({
		node: 'n8n-nodes-base.httpRequest',
		parameters: {},
		credentials: options.credentials,
		packageDirectory: options.packageDirectory,
	});
	const { node, workflow } = single;
	const mode = 'trigger';
	const input = [{ json: {} }];
	const context = new ExecuteContext(
		workflow,
		node,
		single.additionalDataIn(mode),
		mode,
		createEmptyRunExecutionData(),
		0,
		input,
		{ main: [input] },
		{ node, data: { main: [input] }, source: null },
		[],
	);
	return await withLog(async (log) => {
		try {
			const response = (await context.helpers.requestWithAuthentication.call(
				context,
				credentialName,
				requestOptions(options),
				undefined,
				0,
			)) as NonNullable<HttpRequestNodeResult['response']>;
			const { statusCode, headers, body } = response;
			return { response: { statusCode, headers, body }, log };
		} catch (error) {
			return { error: error as Error, log };
		}
	});
}
